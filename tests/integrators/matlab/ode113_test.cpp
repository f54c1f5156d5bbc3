/// \file
/// The rules of ode113: its evaluations, first step, start, restart and order.
#include "integrators/matlab/ode113.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "integrators/matlab/ode45.hpp"
#include "tests/integrators/problems.hpp"

namespace mbdbench::test {
namespace {

TEST(Ode113, EvaluatesOnceAtTheStartTwiceAStepOnceAFailureAndOnceAChange) {
  const std::vector<double> tspan = {0.0, 20.0};
  const std::vector<double> x0 = {2.0, 0.0};
  OdeSystem system = van_der_pol(1.0);
  NullSink sink;
  std::size_t visits = 0, changes = 0;
  // Turned around, the oscillator goes on as before.
  system.after_step = [&](double, std::span<double> x) {
    if (++visits % 30 != 0) {
      return false;
    }
    ++changes;
    x[0] = -x[0];
    x[1] = -x[1];
    return true;
  };
  const OdeResult result = ode113(system, tspan, x0, OdeOptions{}, sink);
  ASSERT_EQ(result.status, OdeStatus::ok) << result.message;
  EXPECT_GT(changes, 5u);
  EXPECT_GT(result.statistics.nfailed, 0u);
  EXPECT_EQ(result.statistics.nfevals, 1 + 2 * result.statistics.nsteps + result.statistics.nfailed + changes);
}

TEST(Ode113, FirstStepFollowsTheRate) {
  NullSink sink;
  const std::vector<double> tspan = {0.0, 100.0};
  const std::vector<double> x0 = {3.0, 0.0};
  OdeOptions options;
  options.absolute_tolerance = {1e-2};
  // f0 = (0, -3), |y0| = (3, 0), threshold 10: the rate is 3 / 10.
  EXPECT_NEAR(ode113(harmonic_oscillator(), tspan, x0, options, sink).first_step, 0.25 * std::sqrt(1e-3) / 0.3, 1e-15);
  const std::vector<double> close = {0.0, 0.01, 100.0};
  EXPECT_EQ(ode113(harmonic_oscillator(), close, x0, options, sink).first_step, 0.01);
}

TEST(Ode113, StartDoublesTheStep) {
  RecordingSink sink;
  const std::vector<double> tspan = {0.0, 10.0};
  const std::vector<double> x0 = {1.0};
  OdeOptions options;
  options.initial_step = 1.0 / 1024.0;
  ode113(exponential_growth(), tspan, x0, options, sink);
  double t = 0.0;
  for (int i = 0; i < 5; ++i) {
    t += std::ldexp(1.0 / 1024.0, i);
    EXPECT_EQ(sink.steps.at(i).t, t) << i;
  }
}

TEST(Ode113, OrderRisesWithTheDemand) {
  // Order 5 needs several times the steps of order 12 at 1e-12.
  OdeOptions options;
  options.relative_tolerance = 1e-12;
  options.absolute_tolerance = {1e-12};
  NullSink sink;
  const std::vector<double> tspan = {0.0, 20.0 * std::acos(-1.0)};
  const std::vector<double> x0 = {1.0, 0.0};
  const OdeResult result = ode113(harmonic_oscillator(), tspan, x0, options, sink);
  EXPECT_LT(5 * result.statistics.nsteps, ode45(harmonic_oscillator(), tspan, x0, options, sink).statistics.nsteps);
  // Errors of single steps add up along ten periods.
  EXPECT_LT(largest_difference(result.x, x0), 1e-9);
}

TEST(Ode113, ChangedStateStartsAgainWithAStepOfTheRate) {
  // After the change to 100 times the state the rate relative to the state is what it was at the start: so is the step.
  OdeSystem system = exponential_growth();
  bool done = false;
  double changed_at = 0.0;
  system.after_step = [&](double t, std::span<double> x) {
    if (done || t < 1.0) {
      return false;
    }
    changed_at = t;
    done = true;
    x[0] *= 100.0;
    return true;
  };
  RecordingSink sink;
  const std::vector<double> tspan = {0.0, 2.0};
  const std::vector<double> x0 = {1.0};
  const OdeResult result = ode113(system, tspan, x0, OdeOptions{}, sink);
  double next = 0.0;
  for (const Sample& step : sink.steps) {
    if (step.t > changed_at) {
      next = step.t;
      break;
    }
  }
  EXPECT_NEAR(next - changed_at, result.first_step, 1e-15);  // difference of rounded times
  EXPECT_NEAR(result.x[0], 100.0 * std::exp(2.0), 1.0);
}

TEST(Ode113, LeavesTheRegionWhereFIsUndefined) {
  // A first attempt that oversteps x = 0, where f is NaN, costs attempts and no more than that.
  const OdeSystem system = system_of(
      1, [](double, std::span<const double> x, std::span<double> xdot) { xdot[0] = -std::sqrt(x[0]) * 10.0 + 1.0; });
  OdeOptions options;
  options.initial_step = 1.0;
  NullSink sink;
  const std::vector<double> tspan = {0.0, 10.0};
  const std::vector<double> x0 = {1.0};
  const OdeResult result = ode113(system, tspan, x0, options, sink);
  EXPECT_EQ(result.status, OdeStatus::ok) << result.message;
  EXPECT_GT(result.statistics.nfailed, 0u);
  EXPECT_NEAR(result.x[0], 0.01, 1e-4);  // the fixed point, to some relative tolerances
}

}  // namespace
}  // namespace mbdbench::test
