#pragma once
/// \file
/// Notices that a call which waits for other processes does not return.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace mbdbench {

/// How long processes wait for one another if nothing else is said, s.
inline constexpr double kProcessTimeout = 120.0;

/// Looks once a tick whether the same wait still goes on. Time is counted in ticks, so that a process that was stopped
/// itself, or a machine that slept, does not count as waiting. A wait costs two stores.
class WaitingWatch {
 public:
  using Milliseconds = std::chrono::milliseconds;

  /// \param too_long called from another thread when one wait has taken longer than the patience, once a wait
  explicit WaitingWatch(std::function<void()> too_long, Milliseconds tick = Milliseconds(200));
  ~WaitingWatch();
  WaitingWatch(const WaitingWatch&) = delete;
  WaitingWatch& operator=(const WaitingWatch&) = delete;
  WaitingWatch(WaitingWatch&&) = delete;
  WaitingWatch& operator=(WaitingWatch&&) = delete;

  /// How long a wait may take, s; 0: for ever.
  void set_patience(double seconds) { patience_ = seconds; }
  [[nodiscard]] double patience() const { return patience_; }

  /// Calls what may wait. For one thread, not one call inside another.
  template <class Call>
  void during(const Call& call) {
    turn();
    call();
    turn();
  }

 private:
  void turn() { turns_.store(turns_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  void watch();

  std::function<void()> too_long_;
  Milliseconds tick_;
  std::atomic<double> patience_ = 0.0;
  std::atomic<std::uint64_t> turns_ = 0;  ///< odd: waiting
  std::mutex mutex_;
  std::condition_variable end_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace mbdbench
