/// \file
/// The two orders of Fehlberg's pair, its recorded local errors, and the rules of the step size control around it.
#include "integrators/runge_kutta/rkf45.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/integrators/problems.hpp"

namespace mbdbench::test {
namespace {

OdeResult fixed_run(double step, bool propagate_higher_order, double tf = 2.0) {
  OdeOptions options;
  options.fixed_step = step;
  options.propagate_higher_order = propagate_higher_order;
  options.record_local_error = true;
  NullSink sink;
  const std::vector<double> tspan = {0.0, tf};
  const std::vector<double> x0 = {1.0, 1.0};
  return rkf45_fixed(nonlinear_problem(), tspan, x0, options, sink);
}

double observed_order(bool propagate_higher_order) {
  const std::vector<double> exact = nonlinear_solution(2.0);
  return std::log2(largest_difference(fixed_run(1.0 / 32.0, propagate_higher_order).x, exact) /
                   largest_difference(fixed_run(1.0 / 64.0, propagate_higher_order).x, exact));
}

TEST(Rkf45Fixed, PropagatesOrderFourAndOnRequestOrderFive) {
  // The next term of the error is smaller by a factor of the step, here a few hundredths.
  EXPECT_NEAR(observed_order(false), 4.0, 0.3);
  EXPECT_NEAR(observed_order(true), 5.0, 0.3);
}

TEST(Rkf45Fixed, LocalErrorIsTheDifferenceOfTheTwoSolutions) {
  // One step: both solutions start from the same state, so that their difference is the estimate.
  const OdeResult four = fixed_run(0.125, false, 0.125);
  const OdeResult five = fixed_run(0.125, true, 0.125);
  ASSERT_EQ(four.statistics.mean_local_error.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(four.statistics.mean_local_error[i], std::abs(five.x[i] - four.x[i]), 1e-15);  // rounding of x near 1
    EXPECT_EQ(four.statistics.mean_local_error[i], five.statistics.mean_local_error[i]);
    EXPECT_GT(four.statistics.mean_local_error[i], 1e-10);
  }
}

TEST(Rkf45Fixed, MeanLocalErrorGoesWithTheFifthPowerOfTheStep) {
  const OdeResult coarse = fixed_run(1.0 / 32.0, false);
  const OdeResult fine = fixed_run(1.0 / 64.0, false);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(std::log2(coarse.statistics.mean_local_error[i] / fine.statistics.mean_local_error[i]), 5.0, 0.3);
  }
}

TEST(Rkf45Fixed, RecordsNothingUnlessAsked) {
  OdeOptions options;
  options.fixed_step = 0.25;
  NullSink sink;
  const std::vector<double> tspan = {0.0, 2.0};
  const std::vector<double> x0 = {1.0, 1.0};
  const OdeResult result = rkf45_fixed(nonlinear_problem(), tspan, x0, options, sink);
  EXPECT_TRUE(result.statistics.mean_local_error.empty());
  EXPECT_EQ(result.statistics.nfevals, 1u + 6u * 8u);
}

TEST(Rkf45, CountsSixEvaluationsAStepAndFiveAFailure) {
  OdeOptions options;
  options.record_local_error = true;
  NullSink sink;
  const std::vector<double> tspan = {0.0, 20.0};
  const std::vector<double> x0 = {2.0, 0.0};
  const OdeResult result = rkf45(van_der_pol(1.0), tspan, x0, options, sink);
  EXPECT_GT(result.statistics.nfailed, 0u);
  EXPECT_EQ(result.statistics.nfevals, 1 + 6 * result.statistics.nsteps + 5 * result.statistics.nfailed);
  ASSERT_EQ(result.statistics.mean_local_error.size(), 2u);
  // Every accepted estimate is below rtol times the largest component, which stays below 3.
  EXPECT_LT(result.statistics.mean_local_error[0], 3e-3);
  EXPECT_GT(result.statistics.mean_local_error[0], 0.0);
}

TEST(Rkf45Fixed, SamplesInsideAStepKeepTheOrder) {
  // Local errors h^5 inside a step of either solution; the next term changes the exponent by some tenths.
  for (const bool higher : {false, true}) {
    const auto inside_error = [&](double h) {
      OdeOptions options;
      options.fixed_step = h;
      options.refine = 10;
      options.propagate_higher_order = higher;
      RecordingSink sink;
      const std::vector<double> tspan = {0.5, 0.5 + h};
      static_cast<void>(rkf45_fixed(nonlinear_problem(), tspan, nonlinear_solution(0.5), options, sink));
      double largest = 0.0;
      for (const Sample& sample : sink.samples) {
        largest = std::max(largest, largest_difference(sample.x, nonlinear_solution(sample.t)));
      }
      return largest;
    };
    EXPECT_NEAR(std::log2(inside_error(0.05) / inside_error(0.025)), 5.0, 0.3) << higher;
  }
}

TEST(Rkf45, HigherOrderMakesTheErrorGoWithTheTolerance) {
  const auto error_at = [](double tolerance) {
    OdeOptions options;
    options.relative_tolerance = tolerance;
    options.absolute_tolerance = {tolerance};
    options.propagate_higher_order = true;
    NullSink sink;
    const std::vector<double> tspan = {0.0, 2.0};
    const std::vector<double> x0 = {1.0, 1.0};
    return largest_difference(rkf45(nonlinear_problem(), tspan, x0, options, sink).x, nonlinear_solution(2.0));
  };
  // As in the generic test: a factor of 3 at the ends of five decades.
  EXPECT_NEAR(std::log10(error_at(1e-5) / error_at(1e-10)) / 5.0, 1.0, 0.15);
}

TEST(Rkf45, FailuresCutByTenAndForbidGrowthAndSuccessGrowsFivefold) {
  // x' = 0 before the wall and enormous behind it: errors are exactly zero or beyond every bound.
  constexpr double kWall = 0.0042;
  const OdeSystem system =
      system_of(1, [](double t, std::span<const double>, std::span<double> xdot) { xdot[0] = t > kWall ? 1e30 : 0.0; });
  OdeOptions options;
  options.initial_step = 0.01;
  options.relative_tolerance = 1e-9;
  RecordingSink sink(RecordingSink::kNever, 3);
  const std::vector<double> tspan = {0.0, 10.0};
  const std::vector<double> x0 = {1.0};
  const OdeResult result = rkf45(system, tspan, x0, options, sink);
  EXPECT_EQ(result.first_step, 0.01);
  // 0.01 fails, a tenth passes and may not grow; the second passes and the next, fivefold, fails and is cut to half of
  // the first.
  ASSERT_EQ(sink.steps.size(), 3u);
  EXPECT_NEAR(sink.steps[0].t, 0.001, 1e-17);
  EXPECT_NEAR(sink.steps[1].t, 0.002, 1e-17);
  EXPECT_NEAR(sink.steps[2].t, 0.0025, 1e-17);
  EXPECT_EQ(result.statistics.nfailed, 2u);
}

}  // namespace
}  // namespace mbdbench::test
