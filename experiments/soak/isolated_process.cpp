#include "experiments/soak/isolated_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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
  child_ = ::fork();
  if (child_ < 0) {
    throw std::runtime_error("no process can be started: " + std::generic_category().message(errno));
  }
  if (child_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would end one that hangs where this process is killed
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
  std::string failure = hung_                      ? fmt::format("not ended after {} s of a processor", limit_)
                        : WIFSIGNALED(status)      ? fmt::format("crashed with signal {}", WTERMSIG(status))
                        : WEXITSTATUS(status) != 0 ? fmt::format("ended with exit code {}", WEXITSTATUS(status))
                                                   : "";
  return {std::move(said_), std::move(failure)};
}

}  // namespace mbdbench::soak
