/// \file
/// The rules of ode45's step size control one by one, and the orders of its formulas.
#include "integrators/matlab/ode45.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/integrators/problems.hpp"

namespace mbdbench::test {
namespace {

constexpr std::size_t kEvaluationsAnAttempt = 6;

/// h0 as published: min(hmax, tspan[1] - tspan[0], 1 / rh), rh = max |f0 / max(|y0|, threshold)| / (0.8 rtol^(1/5)).
double published_first_step(double rate, double relative_tolerance) {
  return 0.8 * std::pow(relative_tolerance, 0.2) / rate;
}

OdeResult oscillator_run(const std::vector<double>& tspan, const OdeOptions& options) {
  NullSink sink;
  const std::vector<double> x0 = {3.0, 0.0};
  return ode45(harmonic_oscillator(), tspan, x0, options, sink);
}

TEST(Ode45, FirstStepFollowsTheRate) {
  OdeOptions options;
  options.absolute_tolerance = {1e-2};
  // f0 = (0, -3), |y0| = (3, 0), threshold 10: the rate is 3 / 10.
  EXPECT_NEAR(oscillator_run({0.0, 100.0}, options).first_step, published_first_step(0.3, 1e-3), 1e-15);
  // In the Euclidean norm |f0| / max(|y0|, threshold): 3 / 10, and with threshold 1 it is 3 / 3.
  options.norm_control = true;
  EXPECT_NEAR(oscillator_run({0.0, 100.0}, options).first_step, published_first_step(0.3, 1e-3), 1e-15);
  options.absolute_tolerance = {1e-3};
  EXPECT_NEAR(oscillator_run({0.0, 100.0}, options).first_step, published_first_step(1.0, 1e-3), 1e-15);
}

TEST(Ode45, FirstStepIsLimited) {
  OdeOptions options;
  options.absolute_tolerance = {1e-2};
  EXPECT_EQ(oscillator_run({0.0, 0.01, 100.0}, options).first_step, 0.01) << "by tspan[1] - tspan[0]";
  EXPECT_EQ(oscillator_run({0.0, 2.0}, options).first_step, 0.2) << "by a tenth of the interval";
  EXPECT_EQ(oscillator_run({1.0, 0.99, -99.0}, options).first_step, 1.0 - 0.99) << "backward too";
  options.max_step = 0.125;
  EXPECT_EQ(oscillator_run({0.0, 100.0}, options).first_step, 0.125) << "by max_step";
  options.initial_step = 0.5;
  EXPECT_EQ(oscillator_run({0.0, 100.0}, options).first_step, 0.125) << "initial_step does not overrule max_step";
  options.initial_step = 0.0625;
  EXPECT_EQ(oscillator_run({0.0, 0.01, 100.0}, options).first_step, 0.0625) << "tspan does not limit initial_step";
}

/// Ends of all attempts, read off the times at which f is asked for.
struct Attempts {
  std::vector<double> ends;
  RecordingSink sink;
  OdeResult result;
};

/// x' = 0 before `wall` and enormous behind it: errors are exactly zero or beyond every bound.
Attempts run_against_wall(double wall, double tf, const OdeOptions& options) {
  std::vector<double> times;
  const OdeSystem system = system_of(1, [&](double t, std::span<const double>, std::span<double> xdot) {
    times.push_back(t);
    xdot[0] = t > wall ? 1e30 : 0.0;
  });
  Attempts attempts;
  const std::vector<double> tspan = {0.0, tf};
  const std::vector<double> x0 = {1.0};
  attempts.result = ode45(system, tspan, x0, options, attempts.sink);
  for (std::size_t i = kEvaluationsAnAttempt; i < times.size(); i += kEvaluationsAnAttempt) {
    attempts.ends.push_back(times[i]);
  }
  return attempts;
}

TEST(Ode45, FailuresCutByTenThenByTwoAndForbidGrowth) {
  OdeOptions options;
  options.initial_step = 0.1;
  // The error of a jump of any height is a thousandth to a hundredth of the new state; a ten-millionth of that is asked
  // for, so that every first failure wants less than a tenth of the step.
  options.relative_tolerance = 1e-9;
  options.max_evaluations = 1 + 7 * kEvaluationsAnAttempt;
  const Attempts attempts = run_against_wall(0.0042, 10.0, options);
  // 0.1 fails, a tenth fails, half of it fails, half of it passes. That step had failed, so that the next is as large:
  // it meets the wall, and being a first failure again it is cut to a tenth, passes, and again may not grow.
  const std::vector<double> expected = {0.1, 0.01, 0.005, 0.0025, 0.005, 0.00275, 0.003};
  ASSERT_EQ(attempts.ends.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(attempts.ends[i], expected[i], 1e-16) << i;  // products of a few rounded factors
  }
  EXPECT_EQ(attempts.result.statistics.nfailed, 4u);
  EXPECT_EQ(attempts.result.statistics.nsteps, 3u);
}

TEST(Ode45, GrowsFivefoldAtMostUpToATenthOfTheInterval) {
  OdeOptions options;
  options.initial_step = 0.001;
  const Attempts attempts = run_against_wall(100.0, 10.0, options);
  const std::vector<double> steps = {0.001, 0.005, 0.025, 0.125, 0.625, 1.0, 1.0, 1.0};
  double t = 0.0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    t += steps[i];
    EXPECT_NEAR(attempts.ends.at(i), t, 1e-14) << i;  // a sum of rounded steps
  }
}

TEST(Ode45, LastStepIsStretchedByATenth) {
  OdeOptions options;
  options.initial_step = 1.0;
  options.max_step = 1.0;
  EXPECT_EQ(run_against_wall(100.0, 3.0625, options).ends, (std::vector<double>{1.0, 2.0, 3.0625}));
  EXPECT_EQ(run_against_wall(100.0, 3.125, options).ends, (std::vector<double>{1.0, 2.0, 3.0, 3.125}));
}

TEST(Ode45, DeliversFourSamplesAStep) {
  RecordingSink sink;
  const std::vector<double> tspan = {0.0, 20.0};
  const std::vector<double> x0 = {2.0, 0.0};
  const OdeResult result = ode45(van_der_pol(1.0), tspan, x0, OdeOptions{}, sink);
  EXPECT_EQ(sink.samples.size(), 1 + 4 * result.statistics.nsteps);
}

TEST(Ode45, NormControlWeighsTheWholeState) {
  // The small component's relative error decides component by component, and vanishes beside the large one in the norm.
  const OdeSystem system = system_of(3, [](double, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = x[1];
    xdot[1] = -x[0];
    xdot[2] = -5.0 * x[2];
  });
  const std::vector<double> tspan = {0.0, 10.0};
  const std::vector<double> x0 = {1.0, 0.0, 1e-2};
  OdeOptions options;
  options.absolute_tolerance = {1e-12};
  NullSink sink;
  const OdeResult by_component = ode45(system, tspan, x0, options, sink);
  options.norm_control = true;
  const OdeResult by_norm = ode45(system, tspan, x0, options, sink);
  EXPECT_LT(by_norm.statistics.nsteps, by_component.statistics.nsteps);
  // One component: the two norms are the same.
  const std::vector<double> one = {1.0};
  const OdeResult scalar_by_norm = ode45(linear_with_input(), tspan, one, options, sink);
  options.norm_control = false;
  EXPECT_EQ(ode45(linear_with_input(), tspan, one, options, sink).x, scalar_by_norm.x);
}

/// Largest error of one step of size h of the nonlinear problem from t = 0.5: at its end (first) and inside it
/// (second).
std::pair<double, double> errors_of_one_step(double h) {
  OdeOptions options;
  options.initial_step = h;
  options.max_step = h;
  options.refine = 8;
  RecordingSink sink;
  const std::vector<double> tspan = {0.5, 0.5 + h};
  const OdeResult result = ode45(nonlinear_problem(), tspan, nonlinear_solution(0.5), options, sink);
  EXPECT_EQ(result.statistics.nsteps, 1u);
  double inside = 0.0;
  for (const Sample& sample : sink.samples) {
    inside = std::fmax(inside, largest_difference(sample.x, nonlinear_solution(sample.t)));
  }
  return {largest_difference(result.x, nonlinear_solution(tspan[1])), inside};
}

TEST(Ode45, LocalErrorsHaveTheOrdersOfTheFormulas) {
  const auto [end_coarse, inside_coarse] = errors_of_one_step(0.1);
  const auto [end_fine, inside_fine] = errors_of_one_step(0.05);
  // Order 5 at the end (local error h^6), order 4 inside (h^5). The next term of the error is one power of h smaller,
  // at h = 0.1 a few tenths of the observed exponent.
  EXPECT_NEAR(std::log2(end_coarse / end_fine), 6.0, 0.4);
  EXPECT_NEAR(std::log2(inside_coarse / inside_fine), 5.0, 0.4);
}

TEST(Ode45, LeavesTheRegionWhereFIsUndefined) {
  // A first attempt that oversteps x = 0, where f is NaN, costs an attempt and no more than that.
  const OdeSystem system = system_of(
      1, [](double, std::span<const double> x, std::span<double> xdot) { xdot[0] = -std::sqrt(x[0]) * 10.0 + 1.0; });
  OdeOptions options;
  options.initial_step = 1.0;
  NullSink sink;
  const std::vector<double> tspan = {0.0, 10.0};
  const std::vector<double> x0 = {1.0};
  const OdeResult result = ode45(system, tspan, x0, options, sink);
  EXPECT_EQ(result.status, OdeStatus::ok) << result.message;
  EXPECT_GT(result.statistics.nfailed, 0u);
  EXPECT_LT(result.statistics.nfevals,
            1 + kEvaluationsAnAttempt * (result.statistics.nsteps + result.statistics.nfailed))
      << "an attempt ends where it meets the NaN";
  EXPECT_NEAR(result.x[0], 0.01, 1e-4);  // the fixed point, to some relative tolerances
}

}  // namespace
}  // namespace mbdbench::test
