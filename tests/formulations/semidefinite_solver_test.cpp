// Symmetric positive semi-definite systems of known rank.
#include <gtest/gtest.h>

#include <Eigen/QR>

#include "formulations/recursion/semidefinite_solver.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

TEST(semidefinite_solver, solves_consistent_systems_of_any_rank) {
  RandomSource random(5);
  for (int size = 1; size <= 12; ++size) {
    for (int rank = 0; rank <= size; ++rank) {
      const Eigen::MatrixXd b = test::random_matrix(random, size, rank);
      const Eigen::MatrixXd a = b * b.transpose();
      SemidefiniteSolver solver(size);
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
  SemidefiniteSolver solver(size);
  ASSERT_TRUE(solver.decompose(a, Eigen::VectorXd::Constant(size, 1e-24)));
  Eigen::VectorXd x = right;
  solver.solve(x);
  // Rounding times the condition of the four-dimensional range, below 1e4 for this seed.
  EXPECT_LT((x - expected).norm(), 1e-10 * expected.norm());
}

TEST(semidefinite_solver, rows_below_their_limit_count_as_zero_and_nan_is_reported) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Identity(3, 3);
  a(1, 1) = 1e-26;
  SemidefiniteSolver solver(3);
  ASSERT_TRUE(solver.decompose(a, Eigen::VectorXd::Constant(3, 1e-24)));
  EXPECT_EQ(solver.rank(), 2);
  Eigen::VectorXd x = Eigen::VectorXd::Ones(3);
  solver.solve(x);
  EXPECT_EQ(x[1], 0.0);
  a(2, 1) = std::numeric_limits<double>::quiet_NaN();
  a(1, 1) = 1.0;
  EXPECT_FALSE(solver.decompose(a, Eigen::VectorXd::Constant(3, 1e-24)));
}

}  // namespace
}  // namespace mbdbench
