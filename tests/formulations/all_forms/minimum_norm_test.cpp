// The dense reference's minimum-norm solver against singular value decompositions, for full and deficient rank.
#include "formulations/dense/minimum_norm.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>

#include "mechanisms/catalogue/trees/random_source.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

TEST(minimum_norm, equals_the_pseudo_inverse_for_every_rank) {
  RandomSource random(5);
  for (Eigen::Index m = 1; m <= 8; ++m) {
    for (Eigen::Index rank = 0; rank <= m; ++rank) {
      const Eigen::Index n = 10;
      const Eigen::MatrixXd b = test::random_matrix(random, m, rank) * test::random_matrix(random, rank, n);
      const Eigen::VectorXd r = test::random_matrix(random, m, 1);  // not in the range of b in general
      MinimumNormSolver solver(m, n);
      solver.decompose(b.transpose(), 0.0);
      EXPECT_EQ(solver.rank(), rank);
      Eigen::JacobiSVD<Eigen::MatrixXd> svd(b, Eigen::ComputeThinU | Eigen::ComputeThinV);
      svd.setThreshold(1e-10);
      const Eigen::VectorXd expected_y = rank == 0 ? Eigen::VectorXd::Zero(n).eval() : svd.solve(r).eval();
      const Eigen::VectorXd y = solver.solve_b(r);
      // Conditions of random matrices of this size stay below 1e3.
      EXPECT_LT((y - expected_y).norm(), 1e-10 * std::max(1.0, expected_y.norm())) << "m " << m << " rank " << rank;
      Eigen::JacobiSVD<Eigen::MatrixXd> transposed(b.transpose(), Eigen::ComputeThinU | Eigen::ComputeThinV);
      transposed.setThreshold(1e-10);
      const Eigen::VectorXd expected_l = rank == 0 ? Eigen::VectorXd::Zero(m).eval() : transposed.solve(y).eval();
      EXPECT_LT((solver.solve_b_transposed() - expected_l).norm(), 1e-9 * std::max(1.0, expected_l.norm()))
          << "m " << m << " rank " << rank;
    }
  }
}

TEST(minimum_norm, takes_a_rank_that_it_is_given_whatever_the_pivots_say) {
  RandomSource random(6);
  Eigen::MatrixXd b = test::random_matrix(random, 3, 6);
  const Eigen::VectorXd r = test::random_matrix(random, 3, 1);
  MinimumNormSolver told(3, 6);
  MinimumNormSolver fixed(3, 6);
  told.decompose(b.transpose(), 0.0);
  fixed.decompose_with_rank(b.transpose(), 3);
  EXPECT_EQ(fixed.solve_b(r), told.solve_b(r)) << "nothing is redundant";
  // A row that all but repeats another one: told, it is left out; fixed, the solution has the size of its inverse.
  b.row(2) = b.row(1) + 1e-17 * b.row(0);
  told.decompose(b.transpose(), 0.0);
  EXPECT_EQ(told.rank(), 2);
  fixed.decompose_with_rank(b.transpose(), 3);
  EXPECT_EQ(fixed.rank(), 3);
  const double size = fixed.solve_b(r).norm();
  EXPECT_TRUE(!std::isfinite(size) || size > 1e8) << size;
}

TEST(minimum_norm, tells_singular_values_apart_that_squaring_would_lose) {
  // Singular values 1 and 1e-10: in B B^T their squares differ by 1e-20, below rounding.
  Eigen::MatrixXd b(2, 3);
  b << 1.0, 0.0, 0.0, 1.0, 1e-10, 0.0;
  MinimumNormSolver solver(2, 3);
  solver.decompose(b.transpose(), 0.0);
  EXPECT_EQ(solver.rank(), 2);
  const Eigen::VectorXd y = solver.solve_b(Eigen::Vector2d(1.0, 1.0 + 1e-10));
  EXPECT_NEAR(y[0], 1.0, 1e-12);
  EXPECT_NEAR(y[1], 1.0, 1e-5);  // eps / 1e-10
}

TEST(minimum_norm, pivots_that_the_entries_carry_as_rounding_count_as_zero) {
  Eigen::MatrixXd b(2, 3);
  b << 1e-16, 0.0, 0.0, 0.0, 3e-17, 0.0;
  MinimumNormSolver solver(2, 3);
  solver.decompose(b.transpose(), 1e-13);
  EXPECT_EQ(solver.rank(), 0);
  EXPECT_EQ(solver.solve_b(Eigen::Vector2d(1.0, 1.0)).norm(), 0.0);
  EXPECT_EQ(solver.solve_b_transposed().norm(), 0.0);
  b(0, 0) = 1.0;
  solver.decompose(b.transpose(), 1e-13);
  EXPECT_EQ(solver.rank(), 1);
  // Exact entries may be as small as they like.
  b << 1e-16, 0.0, 0.0, 0.0, 3e-17, 0.0;
  solver.decompose(b.transpose(), 0.0);
  EXPECT_EQ(solver.rank(), 2);
}

}  // namespace
}  // namespace mbdbench
