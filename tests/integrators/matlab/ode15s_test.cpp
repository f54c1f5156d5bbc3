/// \file
/// The rules of ode15s: its counts, its first step, its restart, and that it is made for stiff problems.
#include "integrators/matlab/ode15s.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "integrators/matlab/ode45.hpp"
#include "tests/integrators/problems.hpp"

namespace mbdbench::test {
namespace {

constexpr std::size_t kColumns = 2;

OdeResult stiff_run(const OdeOptions& options, const OdeSystem& system = van_der_pol(100.0)) {
  NullSink sink;
  const std::vector<double> tspan = {0.0, 300.0};
  const std::vector<double> x0 = {2.0, 0.0};
  return ode15s(system, tspan, x0, options, sink);
}

TEST(Ode15s, EvaluationsAreThoseOfTheStartTheIterationsAndTheJacobians) {
  OdeOptions options;
  const OdeStatistics s = stiff_run(options).statistics;
  EXPECT_GT(s.npds, 1u);
  EXPECT_GT(s.ndecomps, s.npds);
  // f and df/dt at the start; the first Jacobian shares f with it.
  EXPECT_EQ(s.nfevals, 2 + s.nsolves + s.npds * kColumns + (s.npds - 1));
  options.initial_step = 1e-4;
  const OdeStatistics given = stiff_run(options).statistics;
  EXPECT_EQ(given.nfevals, 1 + given.nsolves + given.npds * kColumns + (given.npds - 1)) << "no df/dt";
}

TEST(Ode15s, ChangedStateCostsTwoEvaluations) {
  OdeSystem system = van_der_pol(100.0);
  std::size_t visits = 0, changes = 0;
  system.after_step = [&](double t, std::span<double> x) {
    // Not at the end of the run, where no step follows.
    if (++visits % 20 != 0 || t >= 300.0) {
      return false;
    }
    ++changes;
    x[0] = -x[0];  // turned around, the oscillator goes on as before
    x[1] = -x[1];
    return true;
  };
  const OdeResult result = stiff_run(OdeOptions{}, system);
  ASSERT_EQ(result.status, OdeStatus::ok) << result.message;
  const OdeStatistics& s = result.statistics;
  EXPECT_GT(changes, 5u);
  EXPECT_EQ(s.nfevals, 2 + s.nsolves + s.npds * kColumns + (s.npds - 1) + 2 * changes);
}

TEST(Ode15s, FirstStepFollowsTheSecondDerivative) {
  // x' = -2 x + t from 1: x' = -2, x'' = 1 - 2 x' = 5, so that h^2 x'' / 2 = (0.8)^2 rtol |x|.
  NullSink sink;
  const std::vector<double> tspan = {0.0, 100.0};
  const std::vector<double> x0 = {1.0};
  const double expected = 0.8 * std::sqrt(2.0 * 1e-3 / 5.0);
  // df/dt and the Jacobian are differences with half the digits.
  EXPECT_NEAR(ode15s(linear_with_input(), tspan, x0, OdeOptions{}, sink).first_step, expected, 1e-7 * expected);
  const std::vector<double> close = {0.0, 0.001, 100.0};
  EXPECT_EQ(ode15s(linear_with_input(), close, x0, OdeOptions{}, sink).first_step, 0.001);
}

TEST(Ode15s, StiffnessDoesNotLimitTheStep) {
  // Decay within 1e-6 onto the slow solution: ode45 is bound to steps of about 3.3e-6, 300000 of them.
  const OdeSystem system = system_of(1, [](double t, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = -1e6 * (x[0] - std::cos(t)) - std::sin(t);
  });
  const std::vector<double> tspan = {0.0, 1.0};
  const std::vector<double> x0 = {2.0};
  NullSink sink;
  OdeOptions options;
  options.relative_tolerance = 1e-6;
  options.absolute_tolerance = {1e-9};
  for (const auto solve : {ode15s, ode15s_bdf}) {
    const OdeResult result = solve(system, tspan, x0, options, sink);
    ASSERT_EQ(result.status, OdeStatus::ok) << result.message;
    EXPECT_LT(result.statistics.nfevals, 1000u);
    EXPECT_NEAR(result.x[0], std::cos(1.0), 1e-5);
  }
  options.max_evaluations = 100000;
  EXPECT_EQ(ode45(system, tspan, x0, options, sink).status, OdeStatus::evaluation_limit);
}

TEST(Ode15s, JacobianIsKeptWhileTheIterationConverges) {
  NullSink sink;
  const std::vector<double> tspan = {0.0, 100.0};
  const std::vector<double> x0 = {3.0, 0.0};
  const OdeStatistics s = ode15s(harmonic_oscillator(), tspan, x0, OdeOptions{}, sink).statistics;
  EXPECT_EQ(s.npds, 1u) << "a linear problem needs one";
  EXPECT_LT(s.ndecomps, s.nsteps);
}

TEST(Ode15s, BackwardDifferentiationTakesMoreSteps) {
  // NDF steps are up to 26 % larger; how much of that a run gains depends on the orders it works at.
  const std::vector<double> tspan = {0.0, 3000.0};
  const std::vector<double> x0 = {2.0, 0.0};
  NullSink sink;
  const OdeResult ndf = ode15s(van_der_pol(1000.0), tspan, x0, OdeOptions{}, sink);
  const OdeResult bdf = ode15s_bdf(van_der_pol(1000.0), tspan, x0, OdeOptions{}, sink);
  EXPECT_GT(bdf.statistics.nsteps, ndf.statistics.nsteps);
}

TEST(Ode15s, SharpChangeOfTheRateRenewsTheJacobianOrShrinksTheStep) {
  // At t = 1 the decay becomes ten thousand times as fast and the equilibrium moves: the kept matrix no longer serves.
  const OdeSystem system = system_of(1, [](double t, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = t < 1.0 ? -x[0] : -1e4 * (x[0] - 1.0) * (1.0 + x[0] * x[0]);
  });
  const std::vector<double> tspan = {0.0, 3.0};
  const std::vector<double> x0 = {1.0};
  NullSink sink;
  const OdeResult result = ode15s(system, tspan, x0, OdeOptions{}, sink);
  ASSERT_EQ(result.status, OdeStatus::ok) << result.message;
  EXPECT_GT(result.statistics.npds, 1u);
  EXPECT_GT(result.statistics.nfailed, 0u);
  EXPECT_NEAR(result.x[0], 1.0, 1e-3);
}

}  // namespace
}  // namespace mbdbench::test
