// Symmetric positive semi-definite systems of known rank.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
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

TEST(semidefinite_solver, any_rank_with_zero_rows_and_groups_gives_the_pseudo_inverse_of_the_scaled_matrix) {
  RandomSource random(8);
  int compared = 0;
  for (int size = 1; size <= 14; ++size) {
    for (int rank = 1; rank <= size; ++rank) {
      Eigen::MatrixXd b = test::random_matrix(random, size, rank);
      std::vector<std::size_t> groups;
      Eigen::VectorXd largest = Eigen::VectorXd::Zero(size);
      for (int i = 0; i < size; ++i) {
        b.row(i) *= i % 5 == 3 ? 0.0 : i % 3 == 0 ? 30.0 : 1.0;
        groups.push_back(static_cast<std::size_t>(i / 3));
        largest[i / 3] = std::max(largest[i / 3], b.row(i).squaredNorm());
      }
      const Eigen::MatrixXd a = b * b.transpose();
      Eigen::VectorXd scale(size);
      for (int i = 0; i < size; ++i) {
        scale[i] = largest[i / 3] > 0.0 ? 1.0 / std::sqrt(largest[i / 3]) : 0.0;
      }
      const Eigen::MatrixXd scaled = scale.asDiagonal() * a * scale.asDiagonal();
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(scaled);
      const double most = spectrum.eigenvalues()[size - 1];
      double least = most;
      int expected_rank = 0;
      Eigen::VectorXd inverse = Eigen::VectorXd::Zero(size);
      for (int i = 0; i < size; ++i) {
        if (const double value = spectrum.eigenvalues()[i]; value > 1e-11 * most) {
          inverse[i] = 1.0 / value;
          least = std::min(least, value);
          ++expected_rank;
        }
      }
      if (least < 1e-6 * most) {
        continue;  // a rank that two ways may see differently
      }
      const Eigen::VectorXd right = test::random_vector(size, random);
      const Eigen::VectorXd given = scale.asDiagonal() * right;
      const Eigen::VectorXd expected = scale.asDiagonal() * (spectrum.eigenvectors() * inverse.asDiagonal() *
                                                             spectrum.eigenvectors().transpose() * given);
      SemidefiniteSolver solver(groups);
      ASSERT_TRUE(solver.decompose(a, Eigen::VectorXd::Constant(size, 1e-24)));
      EXPECT_EQ(solver.rank(), expected_rank) << size << ", rank " << rank;
      Eigen::VectorXd x = right;
      solver.solve(x);
      // A pseudo-inverse changes by the square of its norm times what rounding changes in A.
      const double limit = 1e-14 * size * most / (least * least) * given.norm() * scale.maxCoeff();
      EXPECT_LT((x - expected).norm(), limit) << size << ", rank " << rank;
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> half(solver.rank(), size);
      half.setConstant(std::numeric_limits<double>::quiet_NaN());
      solver.write_half(half.data());
      EXPECT_LT((half.transpose() * (half * right) - expected).norm(), limit) << size << ", rank " << rank;
      ++compared;
    }
  }
  EXPECT_GT(compared, 80);  // of 105
}

TEST(semidefinite_solver, a_limit_of_the_rank_leaves_the_rest_to_least_squares) {
  // Rank two and rounding: with the rounding's own pivot taken, x would be of the size 1e9.
  const Eigen::MatrixXd b = (Eigen::MatrixXd(3, 3) << 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.8, 1e-5).finished();
  const Eigen::MatrixXd a = b * b.transpose();
  Eigen::VectorXd x = Eigen::Vector3d(0.0, 0.0, 1.0);
  SemidefiniteSolver solver({0, 0, 0});
  ASSERT_TRUE(solver.decompose(a, Eigen::VectorXd::Constant(3, 1e-24), 2));
  EXPECT_EQ(solver.rank(), 2);
  solver.solve(x);
  // A = E E^T with E = [1 0; 0 1; 0.6 0.8] up to the rounding: E (E^T E)^-2 E^T b, where E^T E e = 2 e for e = (0.6,
  // 0.8). Pivoting starts with the third row, so that the rank-two matrix is another one by 1e-10.
  EXPECT_LT((x - Eigen::Vector3d(0.15, 0.2, 0.25)).norm(), 1e-9);
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
