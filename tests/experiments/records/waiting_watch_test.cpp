/// \file
/// A wait that lasts too long is noticed; many short ones are not.
#include "experiments/records/timing/waiting_watch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace mbdbench {
namespace {

using std::chrono::milliseconds;

TEST(WaitingWatch, TellsOnceOfAWaitBeyondThePatience) {
  std::atomic<int> told = 0;
  WaitingWatch watch([&] { ++told; }, milliseconds(2));
  watch.set_patience(0.02);
  // Nobody waits for what never ends: the wait is over when it was told of, or after a time far beyond the patience.
  watch.during([&] {
    for (int i = 0; i < 5000 && told == 0; ++i) {
      std::this_thread::sleep_for(milliseconds(2));
    }
    std::this_thread::sleep_for(milliseconds(50));
  });
  EXPECT_EQ(told, 1);
}

TEST(WaitingWatch, ShortWaitsAndWorkBetweenThemDoNotCount) {
  std::atomic<int> told = 0;
  WaitingWatch watch([&] { ++told; }, milliseconds(1));
  watch.set_patience(0.05);
  const auto end = std::chrono::steady_clock::now() + milliseconds(200);
  while (std::chrono::steady_clock::now() < end) {
    watch.during([] {});
  }
  std::this_thread::sleep_for(milliseconds(150));  // work, not a wait
  EXPECT_EQ(told, 0);
  watch.set_patience(0.0);
  watch.during([] { std::this_thread::sleep_for(milliseconds(150)); });
  EXPECT_EQ(told, 0) << "0: for ever";
}

}  // namespace
}  // namespace mbdbench
