/// \file
/// The differences and coefficients of Adams formulas against what polynomials and equal steps make of them.
#include "integrators/matlab/adams_history.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace mbdbench::test {
namespace {

/// x' = t^3 from x(0) = 0.
double cubic_slope(double t) {
  return t * t * t;
}
double cubic_solution(double t) {
  return 0.25 * t * t * t * t;
}

/// Takes steps of these sizes, raising the order to at most 4, with the exact state at the start of every step.
struct CubicSteps {
  AdamsHistory history{1};
  double t = 0.0;
  int order = 1;
  double prediction_error = 0.0;

  explicit CubicSteps(const std::vector<double>& sizes) {
    history.restart(std::array{cubic_slope(0.0)});
    for (const double h : sizes) {
      take(h);
    }
  }

  void take(double h) {
    std::array<double, 1> predicted{};
    history.prepare(h, order);
    history.predict(std::array{cubic_solution(t)}, predicted);
    t += h;
    prediction_error = predicted[0] - cubic_solution(t);
    history.correct(std::array{cubic_slope(t)});
    order = std::min(order + 1, 4);
  }
};

TEST(AdamsHistory, OrderFourPredictsACubicSlopeOnAnyGrid) {
  const CubicSteps steps({0.1, 0.3, 0.05, 0.2, 0.2, 0.2, 0.4, 0.07});
  EXPECT_NEAR(steps.prediction_error, 0.0, 1e-15);  // rounding of a state of size 1
  const CubicSteps too_few({0.1, 0.3, 0.05});
  EXPECT_GT(std::abs(too_few.prediction_error), 1e-6) << "three slopes do not hold a cubic";
}

TEST(AdamsHistory, InterpolatesTheLastStep) {
  CubicSteps steps({0.1, 0.3, 0.05, 0.2, 0.2});
  for (const double fraction : {0.0, 0.3, 0.7, 1.0}) {
    std::array<double, 1> x{};
    steps.history.interpolate(-0.2 * fraction, std::array{cubic_solution(steps.t)}, x);
    EXPECT_NEAR(x[0], cubic_solution(steps.t - 0.2 * fraction), 1e-15) << fraction;
  }
}

TEST(AdamsHistory, UndoLeavesNoTrace) {
  CubicSteps steps({0.1, 0.3, 0.05, 0.2, 0.2});
  std::array<double, 1> predicted{};
  steps.history.prepare(0.3, 4);
  steps.history.predict(std::array{cubic_solution(steps.t)}, predicted);
  steps.history.undo();
  steps.take(0.15);
  EXPECT_NEAR(steps.prediction_error, 0.0, 1e-15);
}

TEST(AdamsHistory, EqualStepsHaveTheAdamsBashforthCoefficients) {
  const CubicSteps steps({0.25, 0.25, 0.25, 0.25, 0.25, 0.25});
  // gamma_0 ... gamma_4 of the Adams-Bashforth formulas in backward differences.
  const std::array expected = {1.0, 1.0 / 2.0, 5.0 / 12.0, 3.0 / 8.0, 251.0 / 720.0};
  for (int i = 1; i <= 5; ++i) {
    EXPECT_NEAR(steps.history.g(i), expected[i - 1], 1e-15) << i;
    EXPECT_EQ(steps.history.sigma(i), 1.0);
  }
  EXPECT_EQ(steps.history.constant_steps(), 5);
}

}  // namespace
}  // namespace mbdbench::test
