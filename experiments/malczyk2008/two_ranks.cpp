#include "experiments/malczyk2008/two_ranks.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "experiments/malczyk2008/child_program.hpp"

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

constexpr const char* kTcp = "self,tcp";

/// This process's variables and Open MPI's settings; another MPI ignores them. The user's own prevail, but for what
/// makes the messages take the way that was asked for.
std::vector<std::string> environment(Transport transport) {
  std::map<std::string, std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const std::size_t end_of_name = text.find('=');
    if (end_of_name != std::string::npos) {
      variables.emplace(text.substr(0, end_of_name), text.substr(end_of_name + 1));
    }
  }
  if (transport == Transport::tcp) {
    variables["OMPI_MCA_pml"] = "ob1";
    variables["OMPI_MCA_btl"] = kTcp;
    variables.erase("OMPI_MCA_btl_tcp_if_exclude");
    variables["OMPI_MCA_btl_tcp_if_include"] = "lo";
  }
  // Containers have one slot, no ssh, no right to read another process's memory, and often root as the only user.
  variables.emplace("OMPI_MCA_rmaps_base_oversubscribe", "1");
  variables.emplace("OMPI_MCA_plm", "isolated");
  variables.emplace("OMPI_MCA_btl", "self,vader");
  variables.emplace("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
  variables.emplace(kBinding, binding());
  if (geteuid() == 0) {
    variables.emplace("OMPI_ALLOW_RUN_AS_ROOT", "1");
    variables.emplace("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  std::vector<std::string> texts;
  texts.reserve(variables.size());
  for (const auto& [name, value] : variables) {
    texts.push_back(fmt::format("{}={}", name, value));
  }
  return texts;
}

/// \returns what a program printed, shortened to its end.
std::string end_of(const fs::path& file) {
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  constexpr std::size_t kMost = 400;
  return text.size() > kMost ? "..." + text.substr(text.size() - kMost) : text;
}

/// \returns the answer to the job, or why there is none although mpirun ended well.
JobResult read_answer(const fs::path& answer, const Job& job, const fs::path& log) {
  JobResult result;
  try {
    result = read_result(answer);
    if (result.tasks.size() != job.tasks.size()) {
      throw std::runtime_error(fmt::format("{} tasks are answered of {}", result.tasks.size(), job.tasks.size()));
    }
  } catch (const std::exception& error) {
    result = {};
    result.failure = fmt::format("mpirun ended without an answer ({}): {}", error.what(), end_of(log));
  }
  return result;
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

double longest_time(const Job& job) {
  // The start of MPI, the messages and tasks without patience take seconds, at most minutes where the ranks share a
  // processor. A task begins nothing after its patience; what it has begun by then takes as long again at most, ten
  // times that on such a machine.
  constexpr double kStart = 600.0;
  constexpr double kPatienceFactor = 20.0;
  double patience = 0.0;
  for (const Task& task : job.tasks) {
    patience += task.patience;
  }
  return kStart + kPatienceFactor * patience;
}

JobResult run_job(const Registries& registries, const Job& job, const fs::path& directory, Transport transport) {
  JobResult result;
  result.failure = why_no_two_ranks();
  if (result.failure.empty()) {
    const fs::path question = directory / "job.json";
    const fs::path answer = directory / "result.json";
    const fs::path log = directory / "mpirun.log";
    std::error_code ignored;
    fs::remove(answer, ignored);
    write_job(question, job);
    const std::string end = run_child(
        {find_mpirun()->string(), "-np", "2", two_rank_program()->string(), question.string(), answer.string()},
        environment(transport), log, longest_time(job));
    if (end.empty()) {
      result = read_answer(answer, job, log);
    } else {
      result.failure = fmt::format("mpirun failed, {}: {}", end, end_of(log));
    }
    for (const fs::path& file : {question, answer, log}) {
      fs::remove(file, ignored);
    }
  }
  if (transport == Transport::tcp && result.failure.empty() && result.transport != kTcp) {
    result.failure = fmt::format("{} cannot be told to send messages over TCP (Open MPI can)", result.library);
  }
  if (!result.failure.empty() && transport == Transport::shared_memory) {
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

std::string circumstances(const JobResult& result) {
  return fmt::format("{}{}, {}", result.library,
                     result.transport.empty() ? "" : fmt::format(", messages through {}", result.transport),
                     placement());
}

}  // namespace mbdbench::malczyk2008
