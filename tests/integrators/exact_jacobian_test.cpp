/// \file
/// Methods that need df/dx, with a system that gives it: fewer evaluations, the same solution, failures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/integrators/every_method.hpp"
#include "tests/integrators/problems.hpp"

namespace mbdbench::test {
namespace {

constexpr double kMu = 30.0;

OdeSystem stiff_oscillator_with_jacobian(std::size_t* calls = nullptr) {
  OdeSystem system = van_der_pol(kMu);
  system.jacobian = [calls](double, std::span<const double> x, std::span<double> rows) {
    if (calls != nullptr) {
      ++*calls;
    }
    rows[0] = 0.0;
    rows[1] = 1.0;
    rows[2] = -2.0 * kMu * x[0] * x[1] - 1.0;
    rows[3] = kMu * (1.0 - x[0] * x[0]);
    return std::string();
  };
  return system;
}

OdeOptions options_for(const OdeEntry& entry) {
  OdeOptions options;
  options.relative_tolerance = 1e-6;
  options.absolute_tolerance = {1e-6};
  if (!entry.adaptive) {
    options.fixed_step = 1e-3;
  }
  options.newton_stages = true;
  return options;
}

OdeResult solve(const OdeEntry& entry, const OdeSystem& system) {
  NullSink sink;
  const std::vector<double> tspan = {0.0, 20.0};
  const std::vector<double> x0 = {2.0, 0.0};
  return entry.solve(system, tspan, x0, options_for(entry), sink);
}

std::vector<OdeEntry> methods(bool that_need_it) {
  std::vector<OdeEntry> found;
  std::copy_if(integrator_registry().begin(), integrator_registry().end(), std::back_inserter(found),
               [&](const OdeEntry& entry) { return entry.takes_jacobian == that_need_it && !entry.needs_separable; });
  return found;
}

TEST(ExactJacobian, MethodsThatNeedItSaveTheEvaluationsOfDifferences) {
  ASSERT_GE(methods(true).size(), 4u);
  for (const OdeEntry& entry : methods(true)) {
    SCOPED_TRACE(entry.key);
    std::size_t calls = 0;
    const OdeResult exact = solve(entry, stiff_oscillator_with_jacobian(&calls));
    const OdeResult differences = solve(entry, van_der_pol(kMu));
    ASSERT_EQ(exact.status, OdeStatus::ok) << exact.message;
    EXPECT_EQ(exact.statistics.npds, calls) << "counted as ever";
    EXPECT_GT(calls, 0u);
    EXPECT_LT(exact.statistics.nfevals, differences.statistics.nfevals);
    // Both are within some hundreds of local errors of the solution.
    EXPECT_LT(largest_difference(exact.x, differences.x), 1e-3);
  }
}

TEST(ExactJacobian, OthersDoNotAskForIt) {
  for (const OdeEntry& entry : methods(false)) {
    std::size_t calls = 0;
    const OdeSystem system = stiff_oscillator_with_jacobian(&calls);
    NullSink sink;
    const std::vector<double> tspan = {0.0, 0.01};
    const std::vector<double> x0 = {2.0, 0.0};
    EXPECT_EQ(entry.solve(system, tspan, x0, options_for(entry), sink).status, OdeStatus::ok) << entry.key;
    EXPECT_EQ(calls, 0u) << entry.key;
  }
}

TEST(ExactJacobian, OneOfTheTrapezoidalRuleServesALinearProblemWithoutEvaluations) {
  OdeSystem system = harmonic_oscillator();
  system.jacobian = [](double, std::span<const double>, std::span<double> rows) {
    const std::vector<double> exact = {0.0, 1.0, -1.0, 0.0};
    std::copy(exact.begin(), exact.end(), rows.begin());
    return std::string();
  };
  OdeOptions options;
  options.fixed_step = 0.125;
  NullSink sink;
  const std::vector<double> tspan = {0.0, 10.0};
  const std::vector<double> x0 = {1.0, 0.0};
  const auto solve = find_integrator(integrator_registry(), "trapezoidal")->solve;
  const OdeStatistics exact = solve(system, tspan, x0, options, sink).statistics;
  EXPECT_EQ(exact.npds, 1u);
  EXPECT_EQ(exact.nfevals, 1 + 80 + exact.niterations);
}

TEST(ExactJacobian, AFailureOfItEndsTheRunWithItsWords) {
  for (const OdeEntry& entry : methods(true)) {
    OdeSystem system = stiff_oscillator_with_jacobian();
    system.jacobian = [](double, std::span<const double>, std::span<double>) {
      return std::string("joint k3: no derivative");
    };
    const OdeResult result = solve(entry, system);
    EXPECT_EQ(result.status, OdeStatus::rhs_failed) << entry.key;
    EXPECT_NE(result.message.find("df/dx failed at t = "), std::string::npos) << entry.key << ": " << result.message;
    EXPECT_NE(result.message.find("joint k3: no derivative"), std::string::npos) << result.message;
  }
}

TEST(ExactJacobian, AnEntryThatIsNotFiniteIsNamed) {
  for (const OdeEntry& entry : methods(true)) {
    OdeSystem system = stiff_oscillator_with_jacobian();
    system.jacobian = [](double, std::span<const double>, std::span<double> rows) {
      std::fill(rows.begin(), rows.end(), 1.0);
      rows[3] = std::numeric_limits<double>::quiet_NaN();
      return std::string();
    };
    const OdeResult result = solve(entry, system);
    EXPECT_EQ(result.status, OdeStatus::not_finite) << entry.key << ": " << result.message;
    EXPECT_NE(result.message.find("the derivative of the rate of component 1 is nan"), std::string::npos)
        << entry.key << ": " << result.message;
  }
}

TEST(ExactJacobian, ColumnsOfConstantComponentsAreZero) {
  // x2 is a code: its rate is zero, and what the system says of derivatives by it means nothing.
  const OdeEntry& entry = *find_integrator(integrator_registry(), "ode15s");
  OdeSystem system = system_of(3, [](double, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = x[1];
    xdot[1] = kMu * (1.0 - x[0] * x[0]) * x[1] - x[0];
    xdot[2] = 0.0;
  });
  system.constant = {false, false, true};
  system.jacobian = [](double, std::span<const double> x, std::span<double> rows) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> exact = {0.0, 1.0, nan, -2.0 * kMu * x[0] * x[1] - 1.0, kMu * (1.0 - x[0] * x[0]), nan,
                                       0.0, 0.0, nan};
    std::copy(exact.begin(), exact.end(), rows.begin());
    return std::string();
  };
  NullSink sink;
  const std::vector<double> tspan = {0.0, 20.0};
  const std::vector<double> x0 = {2.0, 0.0, 5.0};
  const OdeResult result = entry.solve(system, tspan, x0, options_for(entry), sink);
  ASSERT_EQ(result.status, OdeStatus::ok) << result.message;
  EXPECT_EQ(result.x[2], 5.0);
}

TEST(ExactJacobian, AFailureThatNoShorterStepAvoidsKeepsItsWords) {
  const OdeEntry& entry = *find_integrator(integrator_registry(), "odeint-rosenbrock4");
  OdeSystem system = stiff_oscillator_with_jacobian();
  system.jacobian = [](double, std::span<const double>, std::span<double>) { return std::string("too far"); };
  system.reached_too_far = [] { return true; };
  const OdeResult result = solve(entry, system);
  EXPECT_EQ(result.status, OdeStatus::rhs_failed);
  EXPECT_NE(result.message.find("df/dx failed"), std::string::npos) << result.message;
}

}  // namespace
}  // namespace mbdbench::test
