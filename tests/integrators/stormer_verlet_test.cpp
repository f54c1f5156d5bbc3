/// \file
/// What makes Stoermer-Verlet worth having, and what it refuses.
#include "integrators/symplectic/stormer_verlet.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/integrators/problems.hpp"

namespace mbdbench::test {
namespace {

OdeOptions step_of(double step) {
  OdeOptions options;
  options.fixed_step = step;
  return options;
}

TEST(StormerVerlet, RefusesASystemThatDoesNotSayItIsSeparable) {
  NullSink sink;
  const std::vector<double> tspan = {0.0, 1.0};
  const std::vector<double> x0 = {2.0, 0.0};
  try {
    stormer_verlet(van_der_pol(1.0), tspan, x0, step_of(0.1), sink);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    for (const char* const part : {"separable", "OdeSystem::separable_positions is 0", "gauss4"}) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
  OdeSystem too_many = harmonic_oscillator();
  too_many.separable_positions = 3;
  EXPECT_THROW(stormer_verlet(too_many, tspan, x0, step_of(0.1), sink), std::invalid_argument);
}

TEST(StormerVerlet, OneStepOfTheOscillatorIsTheKnownMatrix) {
  // q1 = (1 - h^2/2) q + h p, p1 = -h (1 - h^2/4) q + (1 - h^2/2) p, of determinant 1.
  NullSink sink;
  const std::vector<double> tspan = {0.0, 0.5};
  const std::vector<double> x0 = {0.7, -0.3};
  const OdeResult result = stormer_verlet(harmonic_oscillator(), tspan, x0, step_of(0.5), sink);
  EXPECT_NEAR(result.x[0], 0.875 * 0.7 - 0.5 * 0.3, 1e-15);
  EXPECT_NEAR(result.x[1], -0.46875 * 0.7 - 0.875 * 0.3, 1e-15);
  EXPECT_EQ(result.statistics.nfevals, 4u);
}

TEST(StormerVerlet, KeepsTheModifiedEnergyOfTheOscillator) {
  // p^2 + (1 - h^2/4) q^2 is kept exactly, so that the energy itself oscillates and does not drift: 1e5 steps of some
  // roundings each.
  constexpr double kStep = 0.1;
  RecordingSink sink;
  const std::vector<double> tspan = {0.0, 1e4};
  const std::vector<double> x0 = {1.0, 0.0};
  const OdeResult result = stormer_verlet(harmonic_oscillator(), tspan, x0, step_of(kStep), sink);
  ASSERT_EQ(result.statistics.nsteps, 100000u);
  const double weight = 1.0 - kStep * kStep / 4.0;
  double largest = 0.0;
  for (const Sample& step : sink.steps) {
    largest = std::fmax(largest, std::abs(step.x[1] * step.x[1] + weight * step.x[0] * step.x[0] - weight));
  }
  EXPECT_LT(largest, 1e-11);
}

TEST(StormerVerlet, StepBackLeadsToTheStart) {
  NullSink sink;
  const std::vector<double> x0 = {1.3, 0.9};
  const std::vector<double> there = {0.2, 0.6}, back = {0.6, 0.2};
  const OdeResult forward = stormer_verlet(separable_problem(), there, x0, step_of(0.1), sink);
  const OdeResult result = stormer_verlet(separable_problem(), back, forward.x, step_of(0.1), sink);
  EXPECT_LT(largest_difference(result.x, x0), 1e-15);
}

}  // namespace
}  // namespace mbdbench::test
