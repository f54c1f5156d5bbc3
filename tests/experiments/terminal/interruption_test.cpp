#include "experiments/terminal/interruption.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace mbdbench {
namespace {

void kill_twice(int signal) {
  const InterruptionGuard guard;
  std::raise(signal);
  std::raise(signal);
}

TEST(Interruption, FirstSignalIsARequest) {
  {
    const InterruptionGuard guard;
    EXPECT_FALSE(interruption_requested());
    std::raise(SIGTERM);
    EXPECT_TRUE(interruption_requested());
  }
  const InterruptionGuard guard;
  EXPECT_FALSE(interruption_requested());
}

TEST(InterruptionDeathTest, SecondSignalEndsTheProgram) {
  EXPECT_EXIT(kill_twice(SIGINT), testing::KilledBySignal(SIGINT), "");
}

TEST(InterruptionDeathTest, HandlersComeBack) {
  const auto raise_afterwards = [] {
    { const InterruptionGuard guard; }
    std::raise(SIGINT);
  };
  EXPECT_EXIT(raise_afterwards(), testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace mbdbench
