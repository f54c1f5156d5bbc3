#include "experiments/engines/engine_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

namespace mbdbench {
namespace {

using Clock = std::chrono::steady_clock;

// To end by itself, and after SIGTERM.
constexpr double kGraceSeconds = 1.0;

std::string error_text() {
  return std::generic_category().message(errno);
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The new process. Nothing may be allocated here.
[[noreturn]] void become_engine(const char* command, int channel, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  // A parent that died before the line above sends nothing any more.
  if (getppid() == parent && dup2(channel, STDIN_FILENO) >= 0 && dup2(channel, STDOUT_FILENO) >= 0) {
    execl("/bin/sh", "sh", "-c", command, nullptr);
  }
  _exit(127);
}

}  // namespace

EngineProcess::EngineProcess(std::string command, double patience) : command_(std::move(command)), patience_(patience) {
  // Not pipes: a write to an engine that has ended shall be an error and not SIGPIPE.
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw EngineError(fmt::format("{}: cannot be started: {}", command_, error_text()));
  }
  // The engine takes the place of the shell, so that signals reach it.
  const std::string shell_command = "exec " + command_;
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0) {
    become_engine(shell_command.c_str(), ends[1], parent);
  }
  const std::string reason = process_ < 0 ? error_text() : "";
  close(ends[1]);
  channel_ = ends[0];
  if (process_ < 0) {
    close(channel_);
    throw EngineError(fmt::format("{}: cannot be started: {}", command_, reason));
  }
}

EngineProcess::~EngineProcess() {
  shutdown(channel_, SHUT_WR);
  for (const int signal : {SIGTERM, SIGKILL}) {
    if (wait(kGraceSeconds)) {
      break;
    }
    kill(process_, signal);
  }
  wait(kGraceSeconds);
  close(channel_);
}

std::string EngineProcess::ask(const std::string& line) {
  if (!failure_.empty()) {
    throw EngineError(failure_);
  }
  send(line + '\n');
  return receive();
}

void EngineProcess::send(const std::string& text) {
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t count = ::send(channel_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      fail(end_in_words());
    }
    sent += static_cast<std::size_t>(count);
  }
}

std::string EngineProcess::receive() {
  const Clock::time_point start = Clock::now();
  for (std::size_t end = buffer_.find('\n'); end == std::string::npos; end = buffer_.find('\n')) {
    const double left = patience_ - seconds_since(start);
    pollfd watched = {channel_, POLLIN, 0};
    const int ready = left > 0.0 ? poll(&watched, 1, static_cast<int>(1e3 * left) + 1) : 0;
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    if (ready <= 0) {
      fail(fmt::format("no answer after {:g} s", patience_));
    }
    std::array<char, 65536> chunk{};
    const ssize_t count = recv(channel_, chunk.data(), chunk.size(), 0);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      fail(end_in_words());
    }
    buffer_.append(chunk.data(), static_cast<std::size_t>(count));
  }
  const std::size_t end = buffer_.find('\n');
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return line;
}

void EngineProcess::fail(const std::string& reason) {
  failure_ = fmt::format("{}: {}", command_, reason);
  throw EngineError(failure_);
}

bool EngineProcess::wait(double limit) {
  const Clock::time_point start = Clock::now();
  while (!ended_) {
    const pid_t found = waitpid(process_, &status_, WNOHANG);
    // Where SIGCHLD is ignored, which a program inherits, the system forgets its children's ends.
    ended_ = found == process_ || (found < 0 && errno != EINTR);
    if (ended_ || seconds_since(start) > limit) {
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return ended_;
}

std::string EngineProcess::end_in_words() {
  if (!wait(kGraceSeconds)) {
    return "closed its output";
  }
  if (WIFSIGNALED(status_)) {
    return fmt::format("killed by signal {} ({})", WTERMSIG(status_), strsignal(WTERMSIG(status_)));
  }
  const int code = WEXITSTATUS(status_);
  return code == 127 ? "is not there: the shell cannot start it"
                     : fmt::format("ended with exit status {} before it answered", code);
}

}  // namespace mbdbench
