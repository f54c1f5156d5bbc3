#include "experiments/soak/isolated_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace mbdbench::soak {
namespace {

// Of wall time to the limit of processor time.
constexpr double kLongestWait = 20.0;

/// \returns processor time that a child has had, s; 0 where it has ended.
double processor_time(pid_t child) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(child, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
    return 0.0;
  }
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// \returns whether a process gets this signal from others only, never from what it does.
bool is_from_outside(int signal) {
  constexpr std::array kOutside = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  return std::find(kOutside.begin(), kOutside.end(), signal) != kOutside.end();
}

void write_all(int descriptor, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
    if (count <= 0) {
      return;
    }
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace

IsolatedProcess::IsolatedProcess(const std::function<void(const Teller& tell)>& work, double limit)
    : started_(Clock::now()), limit_(limit) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) {
    throw std::runtime_error("no pipe can be made: " + std::generic_category().message(errno));
  }
  const pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw std::runtime_error("no process can be started: " + std::generic_category().message(errno));
  }
  if (child_ == 0) {
    // However this process ends, by kill -9 too, its children end with it.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
      ::_exit(1);
    }
    ::close(ends[0]);
    work([&](const std::string& text) { write_all(ends[1], text); });
    ::_exit(0);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

IsolatedProcess::~IsolatedProcess() {
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  if (pipe_ >= 0) {
    ::close(pipe_);
  }
}

bool IsolatedProcess::ended() {
  constexpr int kWait = 20;  // ms
  pollfd readable = {pipe_, POLLIN, 0};
  if (::poll(&readable, 1, kWait) > 0) {
    std::array<char, 4096> part{};
    const ssize_t count = ::read(pipe_, part.data(), part.size());
    if (count <= 0) {
      return true;
    }
    said_.append(part.data(), static_cast<std::size_t>(count));
    return false;
  }
  const double wall = std::chrono::duration<double>(Clock::now() - started_).count();
  // On a busy machine a child may wait long for its turn, and one that sleeps for ever has no processor time.
  hung_ = processor_time(child_) > limit_ || wall > kLongestWait * limit_;
  return hung_;
}

IsolatedProcess::End IsolatedProcess::take() {
  if (hung_) {
    ::kill(child_, SIGKILL);
  }
  int status = 0;
  ::waitpid(child_, &status, 0);
  child_ = -1;
  End end{std::move(said_), "", ""};
  if (hung_) {
    end.failure = fmt::format("not ended after {} s of a processor", limit_);
  } else if (WIFSIGNALED(status) && is_from_outside(WTERMSIG(status))) {
    end.disturbed = fmt::format("its process was killed from outside with signal {}{}", WTERMSIG(status),
                                WTERMSIG(status) == SIGKILL ? ", as the system does when memory runs out" : "");
  } else if (WIFSIGNALED(status)) {
    end.failure = fmt::format("crashed with signal {}", WTERMSIG(status));
  } else if (WEXITSTATUS(status) != 0) {
    end.failure = fmt::format("ended with exit code {}", WEXITSTATUS(status));
  }
  return end;
}

}  // namespace mbdbench::soak
