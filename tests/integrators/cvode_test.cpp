/// \file
/// CVODE through the suite's interface: the statistics that are its own, stiffness, restarts, exceptions.
#include "integrators/sundials/cvode.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "integrators/matlab/ode45.hpp"
#include "tests/integrators/problems.hpp"

namespace mbdbench::test {
namespace {

OdeOptions options_of(double tolerance) {
  OdeOptions options;
  options.relative_tolerance = tolerance;
  options.absolute_tolerance = {tolerance};
  return options;
}

TEST(CvodeBdf, StiffnessDoesNotLimitTheStep) {
  NullSink sink;
  const std::vector<double> tspan = {0.0, 2000.0};
  const std::vector<double> x0 = {2.0, 0.0};
  const OdeResult result = cvode_bdf(van_der_pol(1000.0), tspan, x0, options_of(1e-6), sink);
  ASSERT_EQ(result.status, OdeStatus::ok) << result.message;
  // An explicit method needs about a million steps.
  EXPECT_LT(result.statistics.nsteps, 3000u);
  EXPECT_GT(result.statistics.npds, 10u);
  EXPECT_GE(result.statistics.ndecomps, result.statistics.npds);
  EXPECT_EQ(result.statistics.nsolves, result.statistics.niterations);
  // An evaluation an iteration and two a Jacobian; further ones at the start and after failed error tests.
  EXPECT_GE(result.statistics.nfevals, result.statistics.niterations + 2 * result.statistics.npds);
}

TEST(CvodeAdams, NeedsNeitherJacobiansNorFactorisations) {
  NullSink sink;
  const std::vector<double> tspan = {0.0, 20.0};
  const std::vector<double> x0 = {2.0, 0.0};
  const OdeResult result = cvode_adams(van_der_pol(1.0), tspan, x0, options_of(1e-8), sink);
  const OdeResult reference = ode45(van_der_pol(1.0), tspan, x0, options_of(1e-12), sink);
  ASSERT_EQ(result.status, OdeStatus::ok) << result.message;
  // Some hundreds of local errors of the tolerance.
  EXPECT_LT(largest_difference(result.x, reference.x), 1e-5);
  EXPECT_EQ(result.statistics.npds, 0u);
  EXPECT_EQ(result.statistics.ndecomps, 0u);
  EXPECT_EQ(result.statistics.nsolves, 0u);
  EXPECT_GE(result.statistics.niterations, result.statistics.nsteps);
}

TEST(Cvode, CountersGoOnOverRestarts) {
  for (const auto solve : {cvode_adams, cvode_bdf}) {
    OdeSystem system = harmonic_oscillator();
    std::size_t visits = 0;
    system.after_step = [&visits](double, std::span<double>) { return ++visits % 20 == 0; };
    RecordingSink sink;
    const std::vector<double> tspan = {0.0, 20.0};
    const std::vector<double> x0 = {1.0, 0.0};
    const OdeResult result = solve(system, tspan, x0, options_of(1e-6), sink);
    ASSERT_EQ(result.status, OdeStatus::ok) << result.message;
    EXPECT_GT(visits, 100u);
    for (std::size_t i = 1; i < sink.statistics.size(); ++i) {
      EXPECT_GE(sink.statistics[i].nfailed, sink.statistics[i - 1].nfailed);
      EXPECT_GT(sink.statistics[i].niterations, sink.statistics[i - 1].niterations);
      EXPECT_GE(sink.statistics[i].ndecomps, sink.statistics[i - 1].ndecomps);
    }
    // Restarts put back what they found: the solution goes on. Some hundreds of local errors of the tolerance.
    EXPECT_NEAR(result.x[0], std::cos(20.0), 1e-3);
  }
}

TEST(Cvode, ExceptionsOfTheRightHandSideReachTheCaller) {
  for (const auto solve : {cvode_adams, cvode_bdf}) {
    OdeSystem system = harmonic_oscillator();
    system.rhs = [](double t, std::span<const double>, std::span<double> xdot) {
      if (t > 0.5) {
        throw std::domain_error("beyond");
      }
      std::fill(xdot.begin(), xdot.end(), 1.0);
      return std::string();
    };
    NullSink sink;
    const std::vector<double> tspan = {0.0, 1.0};
    const std::vector<double> x0 = {1.0, 0.0};
    EXPECT_THROW(solve(system, tspan, x0, options_of(1e-6), sink), std::domain_error);
  }
}

}  // namespace
}  // namespace mbdbench::test
