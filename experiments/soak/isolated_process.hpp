#pragma once
/// \file
/// Work in a process of its own, so that a crash or a hang is a finding like any other.
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>

namespace mbdbench::soak {

/// Takes text that the child says, piece by piece: what was said before a crash is not lost.
using Teller = std::function<void(const std::string& text)>;

/// One piece of work under way in a child process.
class IsolatedProcess {
 public:
  /// Forks: to be called while this process has one thread. \param work its exceptions are the caller's to catch
  /// \param limit s of processor time, twenty times as much of wall time; a child that takes longer is killed
  /// \throws std::runtime_error where the system gives no process
  IsolatedProcess(const std::function<void(const Teller& tell)>& work, double limit);
  ~IsolatedProcess();
  IsolatedProcess(const IsolatedProcess&) = delete;
  IsolatedProcess& operator=(const IsolatedProcess&) = delete;
  IsolatedProcess(IsolatedProcess&&) = delete;
  IsolatedProcess& operator=(IsolatedProcess&&) = delete;

  /// \returns whether the child has ended (waits up to 20 ms) or was killed for taking too long.
  bool ended();

  /// What came of it.
  struct End {
    std::string said;     ///< all of it, also before a failure
    std::string failure;  ///< how it crashed or hung; empty: neither
    /// Who killed it from outside, which is no failure of its own; empty: nobody.
    std::string disturbed;
  };
  /// Once, after `ended`.
  End take();

  [[nodiscard]] pid_t child() const { return child_; }

 private:
  using Clock = std::chrono::steady_clock;
  pid_t child_ = -1;
  int pipe_ = -1;
  Clock::time_point started_;
  double limit_;
  std::string said_;
  bool hung_ = false;
};

}  // namespace mbdbench::soak
