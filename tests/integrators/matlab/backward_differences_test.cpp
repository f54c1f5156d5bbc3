/// \file
/// Backward differences against polynomials, and the constants of the formulas.
#include "integrators/matlab/backward_differences.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>

namespace mbdbench::test {
namespace {

double cubic(double t) {
  return 1.0 + t * (2.0 + t * (-3.0 + t));
}

Eigen::VectorXd vector_of(double value) {
  return Eigen::VectorXd::Constant(1, value);
}

/// Differences of the cubic at steps of h up to t, as accepted steps of rising order build them.
BackwardDifferences differences_of_cubic(double t, double h) {
  BackwardDifferences differences(1);
  double start = t - 4.0 * h;
  differences.restart(h, vector_of((cubic(start) - cubic(start - h)) / h));
  for (int order : {1, 2, 3, 3}) {
    Eigen::VectorXd predicted(1), constant(1);
    differences.predict(order, kBdf, vector_of(cubic(start)), predicted, constant);
    start += h;
    differences.accept(order, vector_of(cubic(start)) - predicted);
  }
  return differences;
}

TEST(BackwardDifferences, PredictTheCubicAtOrderThree) {
  const BackwardDifferences differences = differences_of_cubic(1.5, 0.1);
  Eigen::VectorXd predicted(1), constant(1);
  differences.predict(3, kBdf, vector_of(cubic(1.5)), predicted, constant);
  EXPECT_NEAR(predicted[0], cubic(1.6), 1e-14);
}

TEST(BackwardDifferences, BdfSolvesTheCubicExactly) {
  // h leading f(t + h, x) - constant = x - predicted, with f the slope of the cubic at the new time.
  const BackwardDifferences differences = differences_of_cubic(1.5, 0.1);
  Eigen::VectorXd predicted(1), constant(1);
  differences.predict(3, kBdf, vector_of(cubic(1.5)), predicted, constant);
  const double slope = 2.0 + 1.6 * (-6.0 + 3.0 * 1.6);
  EXPECT_NEAR(0.1 * kBdf.leading(3) * slope - constant[0], cubic(1.6) - predicted[0], 1e-14);
}

TEST(BackwardDifferences, RescaledDifferencesAreThoseOfTheNewGrid) {
  for (const double ratio : {0.5, 1.7, 1.0}) {
    BackwardDifferences differences = differences_of_cubic(1.5, 0.1);
    differences.rescale(3, ratio);
    Eigen::VectorXd predicted(1), constant(1);
    differences.predict(3, kBdf, vector_of(cubic(1.5)), predicted, constant);
    EXPECT_NEAR(predicted[0], cubic(1.5 + 0.1 * ratio), 1e-14) << ratio;
    const double third = 6.0 * std::pow(0.1 * ratio, 3);
    EXPECT_NEAR(differences.difference(3)[0], third, 1e-14) << ratio;
  }
}

TEST(BackwardDifferences, InterpolateTheLastStep) {
  const BackwardDifferences differences = differences_of_cubic(1.5, 0.1);
  for (const double fraction : {-1.0, -0.6, 0.0}) {
    Eigen::VectorXd out(1);
    differences.interpolate(3, fraction, vector_of(cubic(1.5)), Eigen::Map<Eigen::VectorXd>(out.data(), 1));
    EXPECT_NEAR(out[0], cubic(1.5 + 0.1 * fraction), 1e-14) << fraction;
  }
}

TEST(NumericalDifferentiation, ConstantsAreThoseOfThePaper) {
  // BDF: 1 / gamma_k and 1 / (k + 1).
  EXPECT_DOUBLE_EQ(kBdf.leading(2), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(kBdf.leading(5), 60.0 / 137.0);
  EXPECT_DOUBLE_EQ(kBdf.error_constant(4), 0.2);
  // NDF1: 1 / (1 + 0.185) and 1/2 - 0.185.
  EXPECT_DOUBLE_EQ(kNdf.leading(1), 1.0 / 1.185);
  EXPECT_DOUBLE_EQ(kNdf.error_constant(1), 0.315);
  // The paper's gain in step at equal error, Table 1: 26, 26, 26, 12 and 0 per cent.
  const double gain[] = {0.26, 0.26, 0.26, 0.12, 0.0};
  for (int order = 1; order <= 5; ++order) {
    const double ratio = kBdf.error_constant(order) / kNdf.error_constant(order);
    EXPECT_NEAR(std::pow(ratio, 1.0 / (order + 1)) - 1.0, gain[order - 1], 0.005) << order;
  }
}

}  // namespace
}  // namespace mbdbench::test
