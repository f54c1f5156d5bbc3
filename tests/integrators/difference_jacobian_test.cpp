/// \file
/// Jacobians by differences: their values, their evaluations and how their increments learn.
#include "integrators/jacobians/difference_jacobian.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/integrators/problems.hpp"

namespace mbdbench::test {
namespace {

/// A run at t = 0 that lends its counted evaluations.
struct Point {
  Point(OdeSystem s, std::vector<double> at) : system(std::move(s)), x(std::move(at)), f(x.size()) {
    EXPECT_TRUE(run.start(f));
  }

  Evaluation jacobian(DifferenceJacobian& differences) { return differences.evaluate(run, 0.0, x, f, values); }

  OdeSystem system;
  std::vector<double> x;
  std::vector<double> f;
  std::vector<double> tspan = {0.0, 1.0};
  OdeOptions options;
  NullSink sink;
  OdeRun run{system, tspan, x, options, sink, 1};
  Eigen::MatrixXd values =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(x.size()), static_cast<Eigen::Index>(x.size()));
};

TEST(DifferenceJacobian, HasTheValuesAndOneEvaluationAColumn) {
  Point point(van_der_pol(10.0), {2.0, -0.5});
  DifferenceJacobian differences(point.options, point.system);
  ASSERT_EQ(point.jacobian(differences), Evaluation::ok);
  EXPECT_EQ(point.run.take().statistics.nfevals, 3u);
  Eigen::Matrix2d expected;
  expected << 0.0, 1.0, -2.0 * 10.0 * 2.0 * -0.5 - 1.0, 10.0 * (1.0 - 4.0);
  // Increments of sqrt(eps) relative to x leave about that relative error, and nothing where f does not depend on x.
  EXPECT_LT((point.values - expected).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_EQ(point.values(0, 0), 0.0);
}

TEST(DifferenceJacobian, MovesComponentsTheWayTheyGo) {
  // Behind the walls f is not finite: x0 falls and x1 rises, away from them.
  const OdeSystem walls = system_of(2, [](double, std::span<const double> x, std::span<double> xdot) {
    const double outside = x[0] > 1.0 || x[1] < 1.0 ? std::numeric_limits<double>::quiet_NaN() : 0.0;
    xdot[0] = -x[1] + outside;
    xdot[1] = x[0] + outside;
  });
  Point point(walls, {1.0, 1.0});
  DifferenceJacobian differences(point.options, point.system);
  EXPECT_EQ(point.jacobian(differences), Evaluation::ok);
  EXPECT_NEAR(point.values(0, 1), -1.0, 1e-7);
  EXPECT_NEAR(point.values(1, 0), 1.0, 1e-7);
}

TEST(DifferenceJacobian, LeavesConstantComponentsWhereTheyAre) {
  // A code in the last component: any other value is none.
  OdeSystem system = system_of(2, [](double, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = x[1] == 5.0 ? -x[0] : std::numeric_limits<double>::quiet_NaN();
    xdot[1] = 0.0;
  });
  system.constant = {false, true};
  Point point(system, {1.0, 5.0});
  DifferenceJacobian differences(point.options, point.system);
  ASSERT_EQ(point.jacobian(differences), Evaluation::ok);
  EXPECT_EQ(point.run.take().statistics.nfevals, 2u);
  EXPECT_EQ(point.values.col(1).norm(), 0.0);
  EXPECT_NEAR(point.values(0, 0), -1.0, 1e-7);
}

TEST(DifferenceJacobian, ReportsWhatIsNotFinite) {
  const OdeSystem system = system_of(1, [](double, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = x[0] == 1.0 ? 1.0 : std::numeric_limits<double>::quiet_NaN();
  });
  Point point(system, {1.0});
  DifferenceJacobian differences(point.options, point.system);
  EXPECT_EQ(point.jacobian(differences), Evaluation::not_finite);
}

TEST(DifferenceJacobian, SecondLookAtAColumnThatMayBeRoundoff) {
  // Beside 1e9, differences have the grain 1.2e-7: the increment 1.5e-8 is lost in it, its square root 1.2e-4 is not.
  // What has served is enlarged and kept, so that later Jacobians are better.
  const OdeSystem system =
      system_of(1, [](double, std::span<const double> x, std::span<double> xdot) { xdot[0] = 1e9 + x[0]; });
  Point point(system, {1.0});
  DifferenceJacobian differences(point.options, point.system);
  ASSERT_EQ(point.jacobian(differences), Evaluation::ok);
  EXPECT_NEAR(point.values(0, 0), 1.0, 2e-3);
  const double first_error = std::abs(point.values(0, 0) - 1.0);
  ASSERT_EQ(point.jacobian(differences), Evaluation::ok);
  ASSERT_EQ(point.jacobian(differences), Evaluation::ok);
  EXPECT_LE(std::abs(point.values(0, 0) - 1.0), first_error);
  EXPECT_LE(std::abs(point.values(0, 0) - 1.0), 1e-5);
}

TEST(DifferenceJacobian, IncrementsShrinkWhereFIsSteep) {
  // f changes by a thousandth of itself over the increment 1.5e-8: a tenth of it brings a tenth of the error.
  const OdeSystem system = system_of(
      1, [](double, std::span<const double> x, std::span<double> xdot) { xdot[0] = std::exp(1e5 * (x[0] - 1.0)); });
  Point point(system, {1.0});
  DifferenceJacobian differences(point.options, point.system);
  ASSERT_EQ(point.jacobian(differences), Evaluation::ok);
  const double first_error = std::abs(point.values(0, 0) / 1e5 - 1.0);
  ASSERT_EQ(point.jacobian(differences), Evaluation::ok);
  EXPECT_LT(std::abs(point.values(0, 0) / 1e5 - 1.0), 0.2 * first_error);
}

TEST(DifferenceJacobian, ZeroStateMovesByTheAbsoluteTolerance) {
  double moved = 0.0;
  const OdeSystem system = system_of(1, [&](double, std::span<const double> x, std::span<double> xdot) {
    moved = std::fmax(moved, std::abs(x[0]));
    xdot[0] = 3.0 * x[0] + 1.0;
  });
  Point point(system, {0.0});
  point.options.absolute_tolerance = {1e-2};
  DifferenceJacobian differences(point.options, point.system);
  ASSERT_EQ(point.jacobian(differences), Evaluation::ok);
  EXPECT_EQ(moved, 1e-2 * std::sqrt(std::numeric_limits<double>::epsilon()));
}

}  // namespace
}  // namespace mbdbench::test
