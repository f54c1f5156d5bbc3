#include "experiments/records/timing/waiting_watch.hpp"

#include <utility>

namespace mbdbench {

WaitingWatch::WaitingWatch(std::function<void()> too_long, Milliseconds tick)
    : too_long_(std::move(too_long)), tick_(tick), thread_([this] { watch(); }) {}

WaitingWatch::~WaitingWatch() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_all();
  thread_.join();
}

void WaitingWatch::watch() {
  const double tick = std::chrono::duration<double>(tick_).count();
  std::uint64_t seen = 0;
  std::uint64_t told = 0;
  double waited = 0.0;
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, tick_, [this] { return ended_; })) {
    const std::uint64_t turns = turns_.load(std::memory_order_relaxed);
    waited = turns % 2 == 1 && turns == seen ? waited + tick : 0.0;
    seen = turns;
    if (patience_ > 0.0 && waited > patience_ && told != turns) {
      told = turns;
      too_long_();
    }
  }
}

}  // namespace mbdbench
