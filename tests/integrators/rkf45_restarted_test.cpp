#include "integrators/runge_kutta/rkf45_restarted.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tests/integrators/problems.hpp"

namespace mbdbench::test {
namespace {

class RestartedFehlbergTest : public testing::Test {
 protected:
  static OdeSystem system() {
    OdeSystem system;
    system.size = 2;
    system.rhs = [](double t, std::span<const double> x, std::span<double> xdot) {
      xdot[0] = -x[0];
      xdot[1] = 50.0 * x[1] * std::cos(50.0 * t);
      return std::string();
    };
    return system;
  }
  static OdeOptions options() {
    OdeOptions options;
    options.absolute_tolerance = {1e-8};
    options.initial_step = 0.001;
    options.record_local_error = true;
    return options;
  }
  static constexpr std::array kTimes = {0.0, 0.1, 0.2, 0.3};
  static constexpr std::array kStart = {1.0, 1.0};
};

TEST_F(RestartedFehlbergTest, KeepsTheToleranceAndCountsSixAndFive) {
  NullSink sink;
  const OdeResult result = rkf45_restarted(system(), kTimes, kStart, options(), sink);
  ASSERT_EQ(result.status, OdeStatus::ok);
  EXPECT_EQ(result.t, 0.3);
  const OdeStatistics& counts = result.statistics;
  EXPECT_GT(counts.nfailed, 0U);
  EXPECT_EQ(counts.nfevals, 1 + 6 * counts.nsteps + 5 * counts.nfailed);
  // Local errors of 1e-8 a step, amplified at most e^2-fold by y's own growth.
  const double bound = 1e-8 * static_cast<double>(counts.nsteps) * std::exp(2.0);
  EXPECT_NEAR(result.x[0], std::exp(-0.3), bound);
  EXPECT_NEAR(result.x[1], std::exp(std::sin(15.0)), bound);
  // The estimates obey the tolerance, the one of the limiting component not by far.
  EXPECT_LT(counts.mean_local_error[1], 1e-8);
  EXPECT_GT(counts.mean_local_error[1], 1e-10);
}

TEST_F(RestartedFehlbergTest, StartsAnewWithTheFirstStepAtEveryTime) {
  std::vector<double> steps;
  class StepSink : public OdeSink {
   public:
    explicit StepSink(std::vector<double>& times) : times_(times) {}
    bool sample(double /*t*/, std::span<const double> /*x*/) override { return true; }
    bool step(double t, std::span<const double> /*x*/, const OdeStatistics& /*so_far*/) override {
      times_.push_back(t);
      return true;
    }

   private:
    std::vector<double>& times_;
  } sink(steps);
  ASSERT_EQ(rkf45_restarted(system(), kTimes, kStart, options(), sink).status, OdeStatus::ok);
  for (const double time : {0.0, 0.1, 0.2}) {
    EXPECT_EQ(std::count(steps.begin(), steps.end(), time), time == 0.0 ? 0 : 1);
    EXPECT_EQ(std::count(steps.begin(), steps.end(), time + 0.001), 1) << time;
  }
}

TEST_F(RestartedFehlbergTest, LooksAtTheControlledComponentsOnly) {
  NullSink sink;
  const OdeResult full = rkf45_restarted(system(), kTimes, kStart, options(), sink);
  OdeOptions slow_only = options();
  slow_only.error_mask = {true, false};
  const OdeResult partial = rkf45_restarted(system(), kTimes, kStart, slow_only, sink);
  ASSERT_EQ(partial.status, OdeStatus::ok);
  EXPECT_LT(2 * partial.statistics.nsteps, full.statistics.nsteps);
  EXPECT_NEAR(partial.x[0], std::exp(-0.3), 1e-7);
}

TEST_F(RestartedFehlbergTest, FailuresEndTheRunWithAStatus) {
  NullSink sink;
  OdeSystem failing = system();
  failing.rhs = [](double t, std::span<const double> /*x*/, std::span<double> xdot) {
    std::fill(xdot.begin(), xdot.end(), 1.0);
    return std::string(t > 0.05 ? "too late" : "");
  };
  EXPECT_EQ(rkf45_restarted(failing, kTimes, kStart, options(), sink).status, OdeStatus::rhs_failed);
  // 1 / (0.05 - t) cannot be passed: the step shrinks to nothing.
  failing.rhs = [](double t, std::span<const double> /*x*/, std::span<double> xdot) {
    std::fill(xdot.begin(), xdot.end(), 1.0 / (0.05 - t));
    return std::string();
  };
  const OdeStatus status = rkf45_restarted(failing, kTimes, kStart, options(), sink).status;
  EXPECT_TRUE(status == OdeStatus::step_too_small || status == OdeStatus::not_finite) << to_string(status);
}

TEST_F(RestartedFehlbergTest, TakesATenthOfTheWayToTheNextOutputWhereNoFirstStepIsGiven) {
  NullSink sink;
  OdeOptions unset = options();
  unset.initial_step = OdeOptions::kUnset;
  EXPECT_NEAR(rkf45_restarted(system(), kTimes, kStart, unset, sink).first_step, 0.01, 1e-15);
}

TEST_F(RestartedFehlbergTest, EveryComponentHasItsOwnTolerance) {
  NullSink sink;
  const OdeResult same = rkf45_restarted(system(), kTimes, kStart, options(), sink);
  OdeOptions relaxed = options();
  relaxed.absolute_tolerance = {1e-8, 1e-3};
  const OdeResult result = rkf45_restarted(system(), kTimes, kStart, relaxed, sink);
  ASSERT_EQ(result.status, OdeStatus::ok);
  EXPECT_LT(2 * result.statistics.nsteps, same.statistics.nsteps);
}

TEST_F(RestartedFehlbergTest, RefusesWhatItCannotDo) {
  NullSink sink;
  EXPECT_THROW(rkf45_restarted(system(), std::array{0.3, 0.0}, kStart, options(), sink), std::invalid_argument);
}

}  // namespace
}  // namespace mbdbench::test
