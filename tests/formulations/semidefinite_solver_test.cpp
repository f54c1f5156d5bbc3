// Symmetric positive semi-definite systems of known rank.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/QR>
#include <limits>
#include <numeric>
#include <vector>

#include "formulations/recursion/semidefinite_solver.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

/// Every row in a group of its own.
std::vector<std::size_t> single_rows(int size) {
  std::vector<std::size_t> groups(static_cast<std::size_t>(size));
  std::iota(groups.begin(), groups.end(), std::size_t{0});
  return groups;
}

TEST(semidefinite_solver, solves_consistent_systems_of_any_rank) {
  RandomSource random(5);
  for (int size = 1; size <= 12; ++size) {
    for (int rank = 0; rank <= size; ++rank) {
      const Eigen::MatrixXd b = test::random_matrix(random, size, rank);
      const Eigen::MatrixXd a = b * b.transpose();
      SemidefiniteSolver solver(single_rows(size));
      ASSERT_TRUE(solver.decompose(a, Eigen::VectorXd::Constant(size, 1e-24)));
      EXPECT_EQ(solver.rank(), rank);
      const Eigen::VectorXd right = a * test::random_vector(size, random);
      Eigen::VectorXd x = right;
      solver.solve(x);
      // Backward stable: the residual is rounding whatever the condition.
      EXPECT_LT((a * x - right).norm(), 1e-12 * std::max(1.0, x.norm())) << size << ", rank " << rank;
    }
  }
}

TEST(semidefinite_solver, inconsistent_systems_get_the_pseudo_inverse_of_the_scaled_matrix) {
  RandomSource random(6);
  const int size = 7;
  const Eigen::MatrixXd b = test::random_matrix(random, size, 4);
  const Eigen::MatrixXd a = b * b.transpose();
  const Eigen::VectorXd scale = a.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd scaled = scale.asDiagonal() * a * scale.asDiagonal();
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> reference(scaled);
  reference.setThreshold(1e-10);
  const Eigen::VectorXd right = test::random_vector(size, random);
  const Eigen::VectorXd expected = scale.asDiagonal() * reference.solve(Eigen::VectorXd(scale.asDiagonal() * right));
  SemidefiniteSolver solver(single_rows(size));
  ASSERT_TRUE(solver.decompose(a, Eigen::VectorXd::Constant(size, 1e-24)));
  Eigen::VectorXd x = right;
  solver.solve(x);
  // Rounding times the condition of the four-dimensional range, below 1e4 for this seed.
  EXPECT_LT((x - expected).norm(), 1e-10 * expected.norm());
}

TEST(semidefinite_solver, rows_of_one_group_may_be_turned) {
  // Three rows of rank two, as of a planar loop whose plane stands obliquely in the world's axes, and a right side that
  // does not fit. Turned by any rotation, the solution turns along, also where one row all but vanishes.
  RandomSource random(7);
  for (const double angle : {0.4, 1e-3, 1e-6, 1e-8}) {
    const Eigen::MatrixXd plane = test::random_matrix(random, 3, 2);
    const Eigen::MatrixXd b = (Eigen::MatrixXd(3, 2) << plane.topRows(2), 0.0, 0.0).finished();
    const Eigen::Matrix3d turn = Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitX()).toRotationMatrix();
    const Eigen::VectorXd right = test::random_vector(3, random);
    SemidefiniteSolver solver({0, 0, 0});
    Eigen::VectorXd x = right;
    ASSERT_TRUE(solver.decompose(b * b.transpose(), Eigen::VectorXd::Constant(3, 1e-24)));
    EXPECT_EQ(solver.rank(), 2);
    solver.solve(x);
    Eigen::VectorXd turned = turn * right;
    ASSERT_TRUE(solver.decompose(turn * b * b.transpose() * turn.transpose(), Eigen::VectorXd::Constant(3, 1e-24)));
    EXPECT_EQ(solver.rank(), 2);
    solver.solve(turned);
    // Rounding times the square of the condition of b, below 1e2 for these draws.
    EXPECT_LT((turned - turn * x).norm(), 1e-11 * x.norm()) << angle;
  }
}

TEST(semidefinite_solver, rows_below_their_limit_count_as_zero_and_nan_is_reported) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Identity(3, 3);
  a(1, 1) = 1e-26;
  SemidefiniteSolver solver(single_rows(3));
  ASSERT_TRUE(solver.decompose(a, Eigen::VectorXd::Constant(3, 1e-24)));
  EXPECT_EQ(solver.rank(), 2);
  Eigen::VectorXd x = Eigen::VectorXd::Ones(3);
  solver.solve(x);
  EXPECT_EQ(x[1], 0.0);
  a(2, 1) = std::numeric_limits<double>::quiet_NaN();
  a(1, 1) = 1.0;
  EXPECT_FALSE(solver.decompose(a, Eigen::VectorXd::Constant(3, 1e-24)));
  for (const double value : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_FALSE(solver.decompose(value * Eigen::MatrixXd::Ones(3, 3), Eigen::VectorXd::Constant(3, 1e-24)));
  }
}

}  // namespace
}  // namespace mbdbench
