#include "experiments/malczyk2008/child_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

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

// Between two looks at a program that runs for seconds; the ranks take their times themselves.
constexpr std::chrono::milliseconds kLook{5};
// For a program to end what it started itself, s.
constexpr double kGrace = 10.0;

/// Waits for the end of a process, but no longer than so (s).
/// \returns what waitpid does: the process, 0 when it still runs, -1 with errno when nobody knows
pid_t wait_for_end(pid_t process, int& status, double limit) {
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    const pid_t ended = waitpid(process, &status, WNOHANG);
    if (ended > 0 || (ended < 0 && errno != EINTR)) {
      return ended;
    }
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() >= limit) {
      return 0;
    }
    std::this_thread::sleep_for(kLook);
  }
}

/// Ends the process and those of its group.
void end_group(pid_t process) {
  int status = 0;
  kill(-process, SIGTERM);
  if (wait_for_end(process, status, kGrace) == 0) {
    kill(-process, SIGKILL);
    wait_for_end(process, status, kGrace);
  }
}

/// \returns how the process ended, as run_child says it.
std::string words_on_end(pid_t process, double limit) {
  int status = 0;
  const pid_t ended = wait_for_end(process, status, limit);
  if (ended == 0) {
    end_group(process);
    return fmt::format("not ended after {:.3g} s", limit);
  }
  // Where SIGCHLD is ignored, which a program inherits, the system forgets its children's ends.
  return ended > 0 ? words_on(status) : fmt::format("its end is not known: {}", std::strerror(errno));
}

}  // namespace

std::string run_child(std::vector<std::string> words, std::vector<std::string> variables,
                      const std::filesystem::path& log, double limit) {
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
  if (error != 0) {
    int status = 0;
    while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return not_started(error);
  }
  return words_on_end(process, limit);
}

}  // namespace mbdbench::malczyk2008
