#include "experiments/command_line/report_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <string>
#include <system_error>

#include "experiments/files/shipped_file.hpp"
#include "experiments/terminal/message.hpp"

namespace mbdbench::studies {
namespace {

namespace fs = std::filesystem;

/// Runs Python with two arguments. \param silent without what it prints
/// \returns the exit code, 127 where the program cannot be started.
int run_python(std::string interpreter, std::string first, std::string second, bool silent) {
  const std::array<char*, 4> arguments = {interpreter.data(), first.data(), second.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    if (silent) {
      posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
    }
  }
  pid_t process = 0;
  const int failure = posix_spawnp(&process, interpreter.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    return 127;
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) {
      return 127;
    }
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

/// \returns the first Python that has what the plots need; a user's own may lack it.
std::optional<std::string> plotting_python() {
  for (const char* const candidate : {"python3", "/usr/bin/python3"}) {
    if (run_python(candidate, "-c", "import matplotlib, numpy, jinja2", true) == 0) {
      return candidate;
    }
  }
  return std::nullopt;
}

}  // namespace

bool make_report(const fs::path& output) {
  const std::optional<fs::path> script = shipped_file("plots/make_all.py");
  if (!script) {
    tell(
        "mbdbench: no plots/make_all.py beside this program: make the report with\n"
        "  python3 plots/make_all.py {}\n",
        output.string());
    return false;
  }
  const std::optional<std::string> python = plotting_python();
  if (!python) {
    tell(
        "mbdbench: the report needs python3 with matplotlib, numpy and jinja2 (--no-report leaves it out); "
        "then\n  python3 {} {}\n",
        script->string(), output.string());
    return false;
  }
  std::fflush(stdout);
  if (run_python(*python, script->string(), output.string(), false) != 0) {
    tell("mbdbench: the report is not complete; the records are\n");
    return false;
  }
  return true;
}

}  // namespace mbdbench::studies
