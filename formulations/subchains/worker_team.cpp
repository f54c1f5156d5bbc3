#include "formulations/subchains/worker_team.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mbdbench {
namespace {

// A right-hand side's phases take microseconds: spin for some tens of them, then leave the core to others.
constexpr int kSpins = 4000;
constexpr int kYields = 200;

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

/// Waits until `value` is no longer `old`. \returns the new value
unsigned wait_for_change(const std::atomic<unsigned>& value, unsigned old) {
  for (int i = 0; i < kSpins; ++i) {
    const unsigned now = value.load(std::memory_order_acquire);
    if (now != old) {
      return now;
    }
    pause();
  }
  for (int i = 0; i < kYields; ++i) {
    const unsigned now = value.load(std::memory_order_acquire);
    if (now != old) {
      return now;
    }
    std::this_thread::yield();
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

}  // namespace

WorkerTeam::WorkerTeam(int members) {
  threads_.reserve(static_cast<std::size_t>(members - 1));
  for (int member = 1; member < members; ++member) {
    threads_.emplace_back([this, member] { serve(member); });
  }
}

WorkerTeam::~WorkerTeam() {
  ending_.store(true, std::memory_order_relaxed);
  start();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void WorkerTeam::start() {
  started_.fetch_add(1, std::memory_order_release);
  started_.notify_all();
}

void WorkerTeam::serve(int member) {
  for (unsigned seen = 0;;) {
    seen = wait_for_change(started_, seen);
    if (ending_.load(std::memory_order_relaxed)) {
      return;
    }
    call_(work_, member);
    barrier();
  }
}

void WorkerTeam::barrier() {
  if (threads_.empty()) {
    return;
  }
  const unsigned phase = phase_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size()) {
    arrived_.store(0, std::memory_order_relaxed);
    phase_.fetch_add(1, std::memory_order_release);
    phase_.notify_all();
  } else {
    wait_for_change(phase_, phase);
  }
}

}  // namespace mbdbench
