/// \file
/// The trapezoidal rule on linear problems, where a step is known in closed form, and the economy of its Jacobians.
#include "integrators/symplectic/trapezoidal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/integrators/problems.hpp"

namespace mbdbench::test {
namespace {

OdeResult solve(const OdeSystem& system, double tf, std::vector<double> x0, double step) {
  OdeOptions options;
  options.fixed_step = step;
  NullSink sink;
  const std::vector<double> tspan = {0.0, tf};
  return trapezoidal(system, tspan, x0, options, sink);
}

TEST(Trapezoidal, OneStepIsTheRule) {
  // x1 = x0 + h/2 (-2 x0 + 0 - 2 x1 + h): with h = 0.5, x0 = 4: 1.5 x1 = 0.5 * 4 + 0.125.
  const OdeResult result = solve(linear_with_input(), 0.5, {4.0}, 0.5);
  EXPECT_NEAR(result.x[0], 2.125 / 1.5, 4e-15);  // solved to some units in the last place
}

TEST(Trapezoidal, OneJacobianServesALinearProblem) {
  const OdeResult result = solve(harmonic_oscillator(), 10.0, {1.0, 0.0}, 0.125);
  EXPECT_EQ(result.statistics.nsteps, 80u);
  EXPECT_EQ(result.statistics.npds, 1u);
  EXPECT_EQ(result.statistics.ndecomps, 1u);
  EXPECT_EQ(result.statistics.nsolves, result.statistics.niterations);
  EXPECT_EQ(result.statistics.nfevals, 1 + 80 + result.statistics.niterations + 2);
  // Differences have half the digits: two corrections to rounding level, one or two that show it.
  EXPECT_LE(result.statistics.niterations, 4u * 80u);
  // The rule maps the circle onto itself; 80 steps of some roundings.
  EXPECT_NEAR(std::hypot(result.x[0], result.x[1]), 1.0, 1e-13);
}

TEST(Trapezoidal, StiffnessDoesNotLimitTheStep) {
  // x' = -1e6 (x - cos t): an explicit method needs steps of 2e-6.
  const OdeSystem system = system_of(
      1, [](double t, std::span<const double> x, std::span<double> xdot) { xdot[0] = -1e6 * (x[0] - std::cos(t)); });
  const OdeResult result = solve(system, 2.0, {1.0}, 0.01);
  ASSERT_EQ(result.status, OdeStatus::ok) << result.message;
  EXPECT_NEAR(result.x[0], std::cos(2.0), 1e-4);  // h^2
}

TEST(Trapezoidal, NewJacobiansKeepANonlinearProblemGoing) {
  const OdeResult result = solve(van_der_pol(100.0), 100.0, {2.0, 0.0}, 0.001);
  ASSERT_EQ(result.status, OdeStatus::ok) << result.message;
  EXPECT_GT(result.statistics.npds, 1u);
  EXPECT_LT(result.statistics.npds, result.statistics.nsteps / 10);
  EXPECT_EQ(result.statistics.nfevals,
            1 + result.statistics.nsteps + result.statistics.niterations + 2 * result.statistics.npds);
}

TEST(Trapezoidal, UnsolvableStepEndsTheRun) {
  // x1 = x0 + h/2 (1 + x0^2 + 1 + x1^2) has no real solution for large h.
  const OdeSystem system =
      system_of(1, [](double, std::span<const double> x, std::span<double> xdot) { xdot[0] = 1.0 + x[0] * x[0]; });
  const OdeResult result = solve(system, 3.0, {0.0}, 1.5);
  EXPECT_EQ(result.status, OdeStatus::method_failed);
  EXPECT_NE(result.message.find("at t = 0: Newton's method"), std::string::npos) << result.message;
  EXPECT_EQ(result.t, 0.0);
  EXPECT_EQ(result.x[0], 0.0);
}

}  // namespace
}  // namespace mbdbench::test
