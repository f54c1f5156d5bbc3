#include "experiments/malczyk2008/two_ranks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

namespace mbdbench::malczyk2008 {
namespace {

namespace fs = std::filesystem;

/// \returns the program on two ranks beside this one, or one folder up, where the tests are this one.
std::optional<fs::path> two_rank_program() {
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& candidate : {here / "mbdbench_mpi", here.parent_path() / "mbdbench_mpi"}) {
    if (!error && fs::exists(candidate, error)) {
      return candidate;
    }
  }
  return std::nullopt;
}

std::optional<fs::path> find_mpirun() {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder) / "mpirun";
    if (access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return std::nullopt;
}

constexpr const char* kBinding = "OMPI_MCA_hwloc_base_binding_policy";

/// \returns the binding of the ranks: the user's, else a processor for each. Two ranks that the scheduler puts on one
/// processor wait a time slice for every message.
std::string binding() {
  const char* const own = std::getenv(kBinding);
  return own != nullptr ? own : (usable_processors() >= 2 ? "core:overload-allowed" : "none");
}

/// This process's variables and Open MPI's settings; another MPI ignores them. All of them yield to the user's own.
std::vector<std::string> environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    variables.emplace_back(*variable);
  }
  const auto set = [&](const char* name, const std::string& value) {
    if (std::getenv(name) == nullptr) {
      variables.push_back(fmt::format("{}={}", name, value));
    }
  };
  // Containers have one slot, no ssh, no right to read another process's memory, and often root as the only user.
  set("OMPI_MCA_rmaps_base_oversubscribe", "1");
  set("OMPI_MCA_plm", "isolated");
  set("OMPI_MCA_btl", "self,vader");
  set("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
  set(kBinding, binding());
  if (geteuid() == 0) {
    set("OMPI_ALLOW_RUN_AS_ROOT", "1");
    set("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) {
    result.push_back(text.data());
  }
  result.push_back(nullptr);
  return result;
}

/// \returns what a program printed, shortened to its end.
std::string end_of(const fs::path& file) {
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  constexpr std::size_t kMost = 400;
  return text.size() > kMost ? "..." + text.substr(text.size() - kMost) : text;
}

/// \returns why the command failed; empty when it did not.
std::string run_command(std::vector<std::string> words, const fs::path& log) {
  std::vector<std::string> variables = environment();
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  // Out of reach of Ctrl-C: what has been started is finished and kept, as every part of an experiment.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t process = 0;
  const int error = posix_spawn(&process, words.front().c_str(), &files, &attributes, pointers(words).data(),
                                pointers(variables).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    return fmt::format("{} cannot be started: {}", words.front(), std::strerror(error));
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return {};
  }
  return fmt::format("mpirun failed: {}", end_of(log));
}

}  // namespace

std::string why_no_two_ranks() {
  if (!find_mpirun()) {
    return "there is no mpirun (Debian: openmpi-bin)";
  }
  if (!two_rank_program()) {
    return "there is no mbdbench_mpi beside this program: MPI was not found when it was built (Debian: libopenmpi-dev)";
  }
  return {};
}

JobResult run_job(const Registries& registries, const Job& job, const fs::path& directory) {
  JobResult result;
  result.failure = why_no_two_ranks();
  if (result.failure.empty()) {
    const fs::path question = directory / "job.json";
    const fs::path answer = directory / "result.json";
    const fs::path log = directory / "mpirun.log";
    std::error_code ignored;
    fs::remove(answer, ignored);
    write_job(question, job);
    result.failure = run_command(
        {find_mpirun()->string(), "-np", "2", two_rank_program()->string(), question.string(), answer.string()}, log);
    if (result.failure.empty()) {
      result = read_result(answer);
    }
    for (const fs::path& file : {question, answer, log}) {
      fs::remove(file, ignored);
    }
  }
  if (!result.failure.empty()) {
    result.tasks = measure(registries, job.tasks, nullptr);
  }
  return result;
}

int usable_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  return sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

std::string placement() {
  const int processors = usable_processors();
  return fmt::format("2 ranks on {} processor{}, {}{}", processors, processors == 1 ? "" : "s",
                     binding() == "none" ? "not bound" : fmt::format("bound to {}", binding()),
                     processors < 2 ? ", oversubscribed" : "");
}

}  // namespace mbdbench::malczyk2008
