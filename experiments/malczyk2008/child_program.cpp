#include "experiments/malczyk2008/child_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace mbdbench::malczyk2008 {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    result.push_back(text.data());
  }
  result.push_back(nullptr);
  return result;
}

/// Everything the new process needs before it becomes the program: nothing may be allocated there.
struct Start {
  std::vector<char*> words;
  std::vector<char*> variables;
  const char* log = nullptr;
  pid_t parent = 0;
  int report = -1;  ///< written to when the program cannot be started, closed when it can
};

/// The new process. posix_spawn would do but for the signal at the parent's death.
[[noreturn]] void become_program(const Start& start) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  // A parent that died before the line above sends nothing any more.
  if (getppid() != start.parent) {
    _exit(1);
  }
  const int input = open("/dev/null", O_RDONLY);
  const int output = open(start.log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (input >= 0 && output >= 0 && dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
      dup2(output, STDERR_FILENO) >= 0) {
    execve(start.words.front(), start.words.data(), start.variables.data());
  }
  const int error = errno;
  static_cast<void>(!write(start.report, &error, sizeof(error)));
  _exit(1);
}

/// \returns errno of a program that could not be started; 0 when it could.
int read_report(int report) {
  int error = 0;
  ssize_t size = 0;
  do {
    size = read(report, &error, sizeof(error));
  } while (size < 0 && errno == EINTR);
  return size == sizeof(error) ? error : 0;
}

std::string words_on(int status) {
  if (WIFEXITED(status)) {
    return WEXITSTATUS(status) == 0 ? "" : fmt::format("exit status {}", WEXITSTATUS(status));
  }
  return fmt::format("killed by signal {}", WTERMSIG(status));
}

}  // namespace

std::string run_child(std::vector<std::string> words, std::vector<std::string> variables,
                      const std::filesystem::path& log) {
  const auto not_started = [&](int error) {
    return fmt::format("{} cannot be started: {}", words.front(), std::strerror(error));
  };
  std::array<int, 2> report{};
  if (pipe2(report.data(), O_CLOEXEC) != 0) {
    return not_started(errno);
  }
  const Start start{pointers(words), pointers(variables), log.c_str(), getpid(), report[1]};
  const pid_t process = fork();
  if (process == 0) {
    become_program(start);
  }
  const int fork_error = errno;
  close(report[1]);
  const int error = process < 0 ? fork_error : read_report(report[0]);
  close(report[0]);
  int status = 0;
  while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return error != 0 ? not_started(error) : words_on(status);
}

}  // namespace mbdbench::malczyk2008
