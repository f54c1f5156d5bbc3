/// \file
/// What makes the Gauss methods worth their iterations: symplecticity, no drift of the energy, symmetry.
#include "integrators/symplectic/gauss.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "integrators/runge_kutta/rkf45.hpp"
#include "tests/integrators/every_method.hpp"
#include "tests/integrators/problems.hpp"

namespace mbdbench::test {
namespace {

using Solve = decltype(OdeEntry::solve);

/// H = p1^2 / 2 + p2^2 / (2 (1 + q1^2)) + cos q2 + q1^2 q2 / 4, x = (q1, q2, p1, p2): not separable, not quadratic.
OdeSystem coupled_hamiltonian() {
  return system_of(4, [](double, std::span<const double> x, std::span<double> xdot) {
    const double inertia = 1.0 + x[0] * x[0];
    xdot[0] = x[2];
    xdot[1] = x[3] / inertia;
    xdot[2] = x[3] * x[3] * x[0] / (inertia * inertia) - 0.5 * x[0] * x[1];
    xdot[3] = std::sin(x[1]) - 0.25 * x[0] * x[0];
  });
}

/// Kepler's problem, x = (q1, q2, p1, p2), eccentricity 0.6 from the pericentre; the period is 2 pi.
OdeSystem kepler() {
  return system_of(4, [](double, std::span<const double> x, std::span<double> xdot) {
    const double cube = std::pow(x[0] * x[0] + x[1] * x[1], 1.5);
    xdot[0] = x[2];
    xdot[1] = x[3];
    xdot[2] = -x[0] / cube;
    xdot[3] = -x[1] / cube;
  });
}
const std::vector<double> kPericentre = {0.4, 0.0, 0.0, 2.0};

double kepler_energy(std::span<const double> x) {
  return 0.5 * (x[2] * x[2] + x[3] * x[3]) - 1.0 / std::hypot(x[0], x[1]);
}

/// Largest energy error in the first and in the last tenth of a run.
std::array<double, 2> energy_errors(Solve solve, double step, double tf) {
  OdeOptions options;
  options.fixed_step = step;
  RecordingSink sink;
  const std::vector<double> tspan = {0.0, tf};
  const OdeResult result = solve(kepler(), tspan, kPericentre, options, sink);
  EXPECT_EQ(result.status, OdeStatus::ok) << result.message;
  std::array<double, 2> largest = {};
  for (const Sample& sample : sink.steps) {
    const double error = std::abs(kepler_energy(sample.x) - kepler_energy(kPericentre));
    if (sample.t <= 0.1 * tf) largest[0] = std::fmax(largest[0], error);
    if (sample.t >= 0.9 * tf) largest[1] = std::fmax(largest[1], error);
  }
  return largest;
}

std::vector<double> one_step(Solve solve, std::span<const double> x0, double t0, double t1) {
  OdeOptions options;
  options.fixed_step = std::abs(t1 - t0);
  NullSink sink;
  const std::vector<double> tspan = {t0, t1};
  return solve(coupled_hamiltonian(), tspan, x0, options, sink).x;
}

/// \returns max |(M^T J M - J)_ij| of the Jacobian M of one step of 0.25, by central differences.
double symplecticity_defect(Solve solve) {
  const std::vector<double> x0 = {0.7, -0.4, 0.3, 1.1};
  constexpr double kIncrement = 1e-5;
  std::array<std::array<double, 4>, 4> m{};
  for (std::size_t j = 0; j < 4; ++j) {
    std::vector<double> forward = x0, backward = x0;
    forward[j] += kIncrement;
    backward[j] -= kIncrement;
    const std::vector<double> ahead = one_step(solve, forward, 0.0, 0.25);
    const std::vector<double> behind = one_step(solve, backward, 0.0, 0.25);
    for (std::size_t i = 0; i < 4; ++i) {
      m[i][j] = (ahead[i] - behind[i]) / (forward[j] - backward[j]);
    }
  }
  double largest = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      double product = 0.0;
      for (std::size_t k = 0; k < 2; ++k) {
        product += m[k][i] * m[k + 2][j] - m[k + 2][i] * m[k][j];
      }
      const double canonical = i + 2 == j ? 1.0 : (j + 2 == i ? -1.0 : 0.0);
      largest = std::fmax(largest, std::abs(product - canonical));
    }
  }
  return largest;
}

class GaussMethod : public testing::TestWithParam<OdeEntry> {};

TEST_P(GaussMethod, OneStepIsSymplectic) {
  // Central differences with increment 1e-5: truncation of 1e-10, rounding of 1e-11.
  EXPECT_LT(symplecticity_defect(GetParam().solve), 1e-9);
}

TEST(Gauss, SymplecticityTestTellsTheOthersApart) {
  EXPECT_GT(symplecticity_defect(rkf45_fixed), 1e-7);
}

TEST_P(GaussMethod, EnergyDoesNotDrift) {
  // 100 revolutions of a Kepler orbit: the energy error of the last ten is that of the first ten, up to where the steps
  // fall on the orbit.
  const double step = GetParam().order == 2 ? 0.01 : 0.05;
  const auto [early, late] = energy_errors(GetParam().solve, step, 200.0 * M_PI);
  EXPECT_LT(late, 1.2 * early);
  EXPECT_GT(early, 1e-10) << "far above rounding, or the test says nothing";
}

TEST(Gauss, EnergyTestTellsTheOthersApart) {
  const auto [early, late] = energy_errors(rkf45_fixed, 0.05, 200.0 * M_PI);
  EXPECT_GT(late, 5.0 * early);
}

TEST_P(GaussMethod, StepBackLeadsToTheStart) {
  const std::vector<double> x0 = {0.7, -0.4, 0.3, 1.1};
  const std::vector<double> there = one_step(GetParam().solve, x0, 0.0, 0.25);
  const std::vector<double> back = one_step(GetParam().solve, there, 0.25, 0.0);
  EXPECT_LT(largest_difference(back, x0), 1e-14);  // solved to some units in the last place
}

TEST_P(GaussMethod, QuadraticInvariantsAreKeptToRounding) {
  OdeOptions options;
  options.fixed_step = 0.01;
  NullSink sink;
  const std::vector<double> tspan = {0.0, 20.0 * M_PI};
  const OdeResult result = GetParam().solve(kepler(), tspan, kPericentre, options, sink);
  // Angular momentum: 6283 steps of a few roundings, in any case not all of one sign.
  EXPECT_NEAR(result.x[0] * result.x[3] - result.x[1] * result.x[2], 0.8, 1e-12);
}

TEST_P(GaussMethod, CountsItsIterations) {
  OdeOptions options;
  options.fixed_step = 0.05;
  NullSink sink;
  const std::vector<double> tspan = {0.0, 10.0};
  const OdeResult result = GetParam().solve(kepler(), tspan, kPericentre, options, sink);
  const std::size_t stages = static_cast<std::size_t>(GetParam().order) / 2;
  EXPECT_EQ(result.statistics.nsteps, 200u);
  EXPECT_EQ(result.statistics.nfevals, 1 + 200 + stages * result.statistics.niterations);
  // The contraction is about 0.05 / 0.4^1.5 / 2 = 0.1 at the pericentre, less elsewhere.
  EXPECT_GT(result.statistics.niterations, 200u * 5u);
  EXPECT_LT(result.statistics.niterations, 200u * 25u);
}

/// Kepler's problem and its df/dx.
OdeSystem kepler_with_jacobian() {
  OdeSystem system = kepler();
  system.jacobian = [](double, std::span<const double> x, std::span<double> rows) {
    const double square = x[0] * x[0] + x[1] * x[1];
    const double fifth = std::pow(square, 2.5);
    const double mixed = 3.0 * x[0] * x[1] / fifth;
    const std::array<double, 16> exact = {0.0,
                                          0.0,
                                          1.0,
                                          0.0,
                                          0.0,
                                          0.0,
                                          0.0,
                                          1.0,
                                          (3.0 * x[0] * x[0] - square) / fifth,
                                          mixed,
                                          0.0,
                                          0.0,
                                          mixed,
                                          (3.0 * x[1] * x[1] - square) / fifth,
                                          0.0,
                                          0.0};
    std::copy(exact.begin(), exact.end(), rows.begin());
    return std::string();
  };
  return system;
}

TEST_P(GaussMethod, NewtonsMethodSolvesTheSameStagesWithFewerEvaluations) {
  OdeOptions options;
  options.fixed_step = 0.05;
  NullSink sink;
  const std::vector<double> tspan = {0.0, 10.0};
  const OdeResult sweeps = GetParam().solve(kepler_with_jacobian(), tspan, kPericentre, options, sink);
  options.newton_stages = true;
  const OdeResult newton = GetParam().solve(kepler_with_jacobian(), tspan, kPericentre, options, sink);
  ASSERT_EQ(newton.status, OdeStatus::ok) << newton.message;
  EXPECT_EQ(sweeps.statistics.npds, 0u) << "not where fixed-point iteration converges";
  // 200 steps solved to some units in the last place, whose errors grow by some powers of ten in ten time units.
  EXPECT_LT(largest_difference(newton.x, sweeps.x), 1e-11);
  const std::size_t stages = static_cast<std::size_t>(GetParam().order) / 2;
  EXPECT_EQ(newton.statistics.nfevals, 1 + 200 + stages * newton.statistics.niterations);
  EXPECT_EQ(newton.statistics.nsolves, newton.statistics.niterations);
  EXPECT_LT(newton.statistics.niterations, sweeps.statistics.niterations * 2 / 3);
  EXPECT_GT(newton.statistics.npds, 0u);
  EXPECT_LE(newton.statistics.npds, 200u);
}

TEST_P(GaussMethod, NewtonsMethodKeepsQuadraticInvariantsToRounding) {
  OdeOptions options;
  options.fixed_step = 0.01;
  options.newton_stages = true;
  NullSink sink;
  const std::vector<double> tspan = {0.0, 20.0 * M_PI};
  for (const OdeSystem& system : {kepler_with_jacobian(), kepler()}) {
    const OdeResult result = GetParam().solve(system, tspan, kPericentre, options, sink);
    ASSERT_EQ(result.status, OdeStatus::ok) << result.message;
    EXPECT_NEAR(result.x[0] * result.x[3] - result.x[1] * result.x[2], 0.8, 1e-12) << "as of fixed-point iteration";
  }
}

TEST_P(GaussMethod, NewtonsStepBackLeadsToTheStart) {
  OdeOptions options;
  options.fixed_step = 0.1;
  options.newton_stages = true;
  NullSink sink;
  const OdeSystem system = kepler_with_jacobian();
  const std::vector<double> there = GetParam().solve(system, std::vector{0.0, 0.1}, kPericentre, options, sink).x;
  const std::vector<double> back = GetParam().solve(system, std::vector{0.1, 0.0}, there, options, sink).x;
  EXPECT_LT(largest_difference(back, kPericentre), 1e-14);  // solved to some units in the last place
}

/// The stability function of Gauss methods, the diagonal Pade approximation of exp(z).
double pade(int stages, double z) {
  const auto half = [&](double y) {
    return stages == 1   ? 1.0 + y / 2.0
           : stages == 2 ? 1.0 + y / 2.0 + y * y / 12.0
                         : 1.0 + y / 2.0 + y * y / 10.0 + y * y * y / 120.0;
  };
  return half(z) / half(-z);
}

TEST_P(GaussMethod, StepsThatFixedPointIterationDoesNotSolveAreSolvedByNewtonsMethod) {
  constexpr double kRate = -1000.0;
  OdeSystem system =
      system_of(1, [](double, std::span<const double> x, std::span<double> xdot) { xdot[0] = kRate * x[0]; });
  OdeOptions options;
  options.fixed_step = 0.1;
  NullSink sink;
  const std::vector<double> tspan = {0.0, 1.0};
  const std::vector<double> x0 = {1.0};
  const double expected = std::pow(pade(GetParam().order / 2, 0.1 * kRate), 10);
  const OdeResult differences = GetParam().solve(system, tspan, x0, options, sink);
  ASSERT_EQ(differences.status, OdeStatus::ok) << differences.message;
  // Rounding of f, 1000 eps, comes into the ten steps divided by that rate again.
  EXPECT_NEAR(differences.x[0], expected, 1e-13);
  EXPECT_EQ(differences.statistics.npds, 1u) << "one Jacobian serves a linear problem";
  system.jacobian = [](double, std::span<const double>, std::span<double> rows) {
    rows[0] = kRate;
    return std::string();
  };
  const OdeResult exact = GetParam().solve(system, tspan, x0, options, sink);
  EXPECT_NEAR(exact.x[0], expected, 1e-13);
  EXPECT_EQ(exact.statistics.nfevals + 1, differences.statistics.nfevals) << "the evaluation of the difference";
}

TEST_P(GaussMethod, AStepWithoutSolutionEndsTheRunAndSaysSo) {
  // x' = 1 + x^2 leaves the numbers at pi / 4: beyond it the stages' equations have no real solution.
  const OdeSystem system =
      system_of(1, [](double, std::span<const double> x, std::span<double> xdot) { xdot[0] = 1.0 + x[0] * x[0]; });
  OdeOptions options;
  options.fixed_step = 10.0;
  for (const bool newton : {false, true}) {
    options.newton_stages = newton;
    NullSink sink;
    const std::vector<double> tspan = {0.0, 10.0};
    const std::vector<double> x0 = {1.0};
    const OdeResult result = GetParam().solve(system, tspan, x0, options, sink);
    EXPECT_EQ(result.status, OdeStatus::method_failed);
    EXPECT_NE(result.message.find("at t = 0: Newton's method does not solve the stages"), std::string::npos)
        << result.message;
    EXPECT_EQ(result.x, x0);
  }
}

TEST_P(GaussMethod, LargeSystemsAreNotGivenMatricesUnasked) {
  const OdeSystem system = system_of(2001, [](double, std::span<const double> x, std::span<double> xdot) {
    std::transform(x.begin(), x.end(), xdot.begin(), [](double each) { return -1000.0 * each; });
  });
  OdeOptions options;
  options.fixed_step = 0.1;
  NullSink sink;
  const std::vector<double> tspan = {0.0, 0.1};
  const std::vector<double> x0(2001, 1.0);
  const OdeResult result = GetParam().solve(system, tspan, x0, options, sink);
  EXPECT_EQ(result.status, OdeStatus::method_failed);
  EXPECT_NE(result.message.find("the fixed-point iteration does not solve"), std::string::npos) << result.message;
}

INSTANTIATE_TEST_SUITE_P(Registry, GaussMethod,
                         testing::Values(*find_integrator(integrator_registry(), "implicit-midpoint"),
                                         *find_integrator(integrator_registry(), "gauss4"),
                                         *find_integrator(integrator_registry(), "gauss6")),
                         method_name);

}  // namespace
}  // namespace mbdbench::test
