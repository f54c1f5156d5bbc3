/// \file
/// The adaptor against odeint's own loop.
#include "integrators/odeint/odeint_dopri5.hpp"

#include <gtest/gtest.h>

#include <boost/numeric/odeint/integrate/integrate_adaptive.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "integrators/odeint/odeint_error_checker.hpp"
#include "tests/integrators/problems.hpp"

namespace mbdbench::test {
namespace {

namespace odeint = boost::numeric::odeint;

TEST(OdeintDopri5, TakesTheStepsOfOdeintsOwnLoop) {
  for (const double tf : {20.0, -20.0}) {
    OdeOptions options;
    options.relative_tolerance = 1e-5;
    options.absolute_tolerance = {1e-7};
    options.initial_step = 1e-2;
    RecordingSink sink;
    const std::vector<double> tspan = {0.0, tf};
    const std::vector<double> x0 = {0.5, 0.0};
    const OdeSystem system = van_der_pol(1.0);
    const OdeResult result = odeint_dopri5(system, tspan, x0, options, sink);

    std::size_t evaluations = 0;
    const auto f = [&](const std::vector<double>& x, std::vector<double>& xdot, double t) {
      ++evaluations;
      system.rhs(t, x, xdot);
    };
    std::vector<double> x = x0;
    const auto stepper = odeint::make_controlled<odeint::runge_kutta_dopri5<std::vector<double>>>(1e-7, 1e-5);
    const std::size_t steps = odeint::integrate_adaptive(stepper, f, x, 0.0, tf, std::copysign(1e-2, tf));

    EXPECT_EQ(result.statistics.nsteps, steps);
    EXPECT_EQ(result.statistics.nfevals, evaluations);
    EXPECT_GT(result.statistics.nfailed, 0u);
    // The same operations in the same order, except that the compiler may contract them differently in the two loops.
    EXPECT_LT(largest_difference(result.x, x), 1e-11);
    EXPECT_EQ(sink.samples.size(), 1 + steps) << "by default one sample a step";
  }
}

TEST(OdeintDopri5, FirstStepIsATenthOfTheIntervalWhereNothingMoves) {
  const OdeSystem rest = system_of(1, [](double, std::span<const double>, std::span<double> xdot) { xdot[0] = 0.0; });
  NullSink sink;
  const std::vector<double> tspan = {0.0, 1.0, 10.0};
  const std::vector<double> x0 = {1.0};
  EXPECT_EQ(odeint_dopri5(rest, tspan, x0, OdeOptions{}, sink).first_step, 1.0);
  const OdeSystem growth = exponential_growth();
  // 0.8 rtol^(1/5) of the state by the rate 1.
  EXPECT_NEAR(odeint_dopri5(growth, tspan, x0, OdeOptions{}, sink).first_step, 0.8 * std::pow(1e-3, 0.2), 1e-15);
}

TEST(OdeintDopri5, RoundedTimesDoNotCostAStep) {
  // Ten steps of 0.1 add up to 1 - 1e-16: what is left is no step.
  const OdeSystem rest = system_of(1, [](double, std::span<const double>, std::span<double> xdot) { xdot[0] = 0.0; });
  OdeOptions options;
  options.initial_step = 0.1;
  options.max_step = 0.1;
  NullSink sink;
  const std::vector<double> tspan = {0.0, 1.0};
  const std::vector<double> x0 = {1.0};
  const OdeResult result = odeint_dopri5(rest, tspan, x0, options, sink);
  EXPECT_EQ(result.statistics.nsteps, 10u);
  EXPECT_EQ(result.t, 1.0);
}

TEST(OdeintErrorChecker, WeighsAsDocumented) {
  OdeOptions options;
  options.relative_tolerance = 0.5;
  options.absolute_tolerance = {1.0, 2.0};
  const std::vector<double> x = {-3.0, 4.0};
  const std::vector<double> xdot = {8.0, -6.0};
  const std::vector<double> error = {-2.0, 9.0};
  const double dt = -0.5;
  boost::numeric::odeint::range_algebra algebra;
  // |2| / (1 + 0.5 (3 + 0.5 * 8)) = 2 / 4.5 and |9| / (2 + 0.5 (4 + 0.5 * 6)) = 9 / 5.5: exact up to the division.
  EXPECT_DOUBLE_EQ(OdeintErrorChecker(options, 2).error(algebra, x, xdot, error, dt), 9.0 / 5.5);
  options.error_mask = {true, false};
  EXPECT_DOUBLE_EQ(OdeintErrorChecker(options, 2).error(algebra, x, xdot, error, dt), 2.0 / 4.5);
  options.error_mask = {};
  options.absolute_tolerance = {1.0};
  options.norm_control = true;
  // |error| = sqrt(85), |x| = 5, |xdot| = 10.
  EXPECT_DOUBLE_EQ(OdeintErrorChecker(options, 2).error(algebra, x, xdot, error, dt), std::sqrt(85.0) / 6.0);
  const std::vector<double> unknown = {std::numeric_limits<double>::quiet_NaN(), 0.0};
  EXPECT_EQ(OdeintErrorChecker(options, 2).error(algebra, x, xdot, unknown, dt),
            std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace mbdbench::test
