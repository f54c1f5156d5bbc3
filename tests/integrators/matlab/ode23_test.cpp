/// \file
/// What sets ode23 apart from ode45: its first step, its first failure, its samples and the orders of its formulas.
#include "integrators/matlab/ode23.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "tests/integrators/problems.hpp"

namespace mbdbench::test {
namespace {

constexpr std::size_t kOde23EvaluationsAnAttempt = 3;

TEST(Ode23, FirstStepFollowsTheRate) {
  NullSink sink;
  const std::vector<double> tspan = {0.0, 100.0};
  const std::vector<double> x0 = {3.0, 0.0};
  OdeOptions options;
  options.absolute_tolerance = {1e-2};
  // f0 = (0, -3), |y0| = (3, 0), threshold 10: the rate is 3 / 10.
  EXPECT_NEAR(ode23(harmonic_oscillator(), tspan, x0, options, sink).first_step, 0.8 * std::cbrt(1e-3) / 0.3, 1e-15);
}

TEST(Ode23, EveryFailureHalvesTheStep) {
  // x' = 0 before the wall and enormous behind it: errors are exactly zero or beyond every bound.
  std::vector<double> times;
  const OdeSystem system = system_of(1, [&](double t, std::span<const double>, std::span<double> xdot) {
    times.push_back(t);
    xdot[0] = t > 0.03 ? 1e30 : 0.0;
  });
  OdeOptions options;
  options.initial_step = 0.1;
  options.relative_tolerance = 1e-9;
  options.max_evaluations = 1 + 4 * kOde23EvaluationsAnAttempt;
  NullSink sink;
  const std::vector<double> tspan = {0.0, 10.0};
  const std::vector<double> x0 = {1.0};
  ode23(system, tspan, x0, options, sink);
  // Two failures and a step that may not grow, which leads over the wall again.
  const std::vector<double> expected = {0.1, 0.05, 0.025, 0.05};
  ASSERT_EQ(times.size(), options.max_evaluations);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(times[(i + 1) * kOde23EvaluationsAnAttempt], expected[i], 1e-16) << i;  // halves of a rounded number
  }
}

TEST(Ode23, DeliversOneSampleAStep) {
  RecordingSink sink;
  const std::vector<double> tspan = {0.0, 20.0};
  const std::vector<double> x0 = {2.0, 0.0};
  const OdeResult result = ode23(van_der_pol(1.0), tspan, x0, OdeOptions{}, sink);
  EXPECT_EQ(sink.samples.size(), 1 + result.statistics.nsteps);
}

TEST(Ode23, SamplesLieOnTheCubicOfBothEnds) {
  OdeOptions options;
  options.initial_step = 0.5;
  options.max_step = 0.5;
  options.relative_tolerance = 1.0;
  options.refine = 4;
  RecordingSink sink;
  const std::vector<double> tspan = {0.0, 0.5};
  const std::vector<double> x0 = {1.0};
  const OdeResult result = ode23(exponential_growth(), tspan, x0, options, sink);
  ASSERT_EQ(sink.samples.size(), 5u);
  const double end = result.x[0];
  for (const Sample& sample : sink.samples) {
    const double s = sample.t / 0.5;
    // Hermite's basis with the slopes h f = 0.5 x at both ends.
    const double cubic = (1.0 + 2.0 * s) * (1.0 - s) * (1.0 - s) + s * (1.0 - s) * (1.0 - s) * 0.5 +
                         s * s * (3.0 - 2.0 * s) * end + s * s * (s - 1.0) * 0.5 * end;
    EXPECT_NEAR(sample.x[0], cubic, 1e-15) << sample.t;
  }
}

/// Largest error of one step of size h of the nonlinear problem from t = 0.5: at its end (first) and inside it
/// (second).
std::pair<double, double> ode23_errors_of_one_step(double h) {
  OdeOptions options;
  options.relative_tolerance = 1.0;
  options.initial_step = h;
  options.max_step = h;
  options.refine = 8;
  RecordingSink sink;
  const std::vector<double> tspan = {0.5, 0.5 + h};
  const OdeResult result = ode23(nonlinear_problem(), tspan, nonlinear_solution(0.5), options, sink);
  EXPECT_EQ(result.statistics.nsteps, 1u);
  double inside = 0.0;
  for (const Sample& sample : sink.samples) {
    inside = std::fmax(inside, largest_difference(sample.x, nonlinear_solution(sample.t)));
  }
  return {largest_difference(result.x, nonlinear_solution(tspan[1])), inside};
}

TEST(Ode23, LocalErrorsHaveTheOrdersOfTheFormulas) {
  const auto [end_coarse, inside_coarse] = ode23_errors_of_one_step(0.05);
  const auto [end_fine, inside_fine] = ode23_errors_of_one_step(0.025);
  // Order 3 at the end and inside (local error h^4). The next term of the error is one power of h smaller.
  EXPECT_NEAR(std::log2(end_coarse / end_fine), 4.0, 0.4);
  EXPECT_NEAR(std::log2(inside_coarse / inside_fine), 4.0, 0.4);
}

}  // namespace
}  // namespace mbdbench::test
