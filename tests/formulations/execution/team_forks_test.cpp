// Processes that are forked by one that has shared right-hand sides: of its threads they have one alone, and OpenMP's
// library must not wait for the others. Not under ThreadSanitizer, which ends forked processes that start others.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <functional>
#include <thread>
#include <vector>

#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

/// \returns the exit code of a child that does the work; -1: it had not ended after ten seconds.
int child_of(const std::function<bool()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(work() ? 0 : 1);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (int status = 0; std::chrono::steady_clock::now() < end;) {
    if (waitpid(child, &status, WNOHANG) == child) {
      return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return -1;
}

TEST(ForkedProcesses, a_child_of_a_process_with_a_team_shares_right_hand_sides_too) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:64");
  const auto formulation = test::make("hdca", mechanism, "leaf=subchain,subchains=16,threads=2");
  std::vector<double> x(formulation->state_size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::sin(1.0 + 0.7 * static_cast<double>(i));
  }
  std::vector<double> expected(x.size());
  ASSERT_TRUE(formulation->rhs(0.0, x, expected).ok);
  const auto same_rates = [&] {
    std::vector<double> rates(x.size());
    return formulation->rhs(0.0, x, rates).ok && rates == expected;
  };
  EXPECT_EQ(child_of(same_rates), 0);
  EXPECT_EQ(child_of([&] { return same_rates() && child_of(same_rates) == 0; }), 0) << "a grandchild";
  EXPECT_TRUE(same_rates()) << "the process itself";
  int of_another_thread = -1;
  std::thread other([&] {
    if (same_rates()) {
      of_another_thread = child_of(same_rates);
    }
  });
  other.join();
  EXPECT_EQ(of_another_thread, 0);
}

}  // namespace
}  // namespace mbdbench
