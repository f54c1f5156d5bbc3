// The node formula where loops close, against Eigen's pseudo-inverse, for every rank.
#include "formulations/assembly/loop_kernels.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <vector>

#include "mechanisms/catalogue/random_source.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

/// A front of a positive semidefinite Xi whose closed block has the given rank, with consistent right sides.
struct LoopProblem {
  int closed = 0;
  int width = 0;
  Eigen::MatrixXd front;
  Eigen::VectorXd right;
  Eigen::VectorXd external;

  LoopProblem(int closed_rows, int external_rows, int rank, std::uint64_t seed)
      : closed(closed_rows), width(external_rows) {
    RandomSource random(static_cast<std::int64_t>(seed));
    // Closed rows see only `rank` of the body directions.
    const int directions = closed + width + 2;
    Eigen::MatrixXd rows(closed + width, directions);
    rows.topRows(closed) = test::random_matrix(random, closed, rank) * test::random_matrix(random, rank, directions);
    rows.bottomRows(width) = test::random_matrix(random, width, directions);
    front = rows * rows.transpose();
    right = rows * test::random_matrix(random, directions, 1);
    external = test::random_matrix(random, width, 1);
  }

  [[nodiscard]] int factorise(Eigen::MatrixXd& matrix) const {
    std::vector<double> scratch(loop_scratch_size<double>(static_cast<std::size_t>(closed)));
    const Eigen::VectorXd free_diagonal = 2.0 * front.diagonal().head(closed);
    matrix = front;
    matrix.triangularView<Eigen::StrictlyUpper>().setConstant(99.0);  // must not be read
    return factorise_loop_front(matrix.data(), closed, width, free_diagonal.data(), scratch.data()).rank;
  }
};

void check_loop(int closed, int width, int rank) {
  const LoopProblem problem(closed, width, rank, 10 + static_cast<std::uint64_t>(100 * closed + 10 * width + rank));
  Eigen::MatrixXd front;
  ASSERT_EQ(problem.factorise(front), rank) << closed << " rows, width " << width;
  Eigen::VectorXd right = problem.right;
  std::vector<double> scratch(static_cast<std::size_t>(closed) + 1);
  eliminate_loop_right_side(front.data(), closed, width, rank, right.data(), scratch.data());
  Eigen::VectorXd sigma(closed + width);
  sigma.tail(width) = problem.external;
  recover_loop(front.data(), closed, width, rank, right.data(), sigma.data());

  const Eigen::MatrixXd a = problem.front.topLeftCorner(closed, closed);
  const Eigen::MatrixXd b = problem.front.topRightCorner(closed, width);
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(1e-10);
  decomposition.compute(a);
  const Eigen::MatrixXd inverse = decomposition.pseudoInverse();
  // Rounding of some hundred operations times the condition of the random factors, squared (up to 1e4 or so).
  constexpr double kTolerance = 1e-9;
  if (width > 0) {
    const Eigen::MatrixXd expected = problem.front.bottomRightCorner(width, width) - b.transpose() * inverse * b;
    const Eigen::MatrixXd actual = front.bottomRightCorner(width, width);
    EXPECT_LT(Eigen::MatrixXd((actual - expected).triangularView<Eigen::Lower>()).cwiseAbs().maxCoeff(), kTolerance);
    EXPECT_LT((right.tail(width) - (problem.right.tail(width) - b.transpose() * inverse * problem.right.head(closed)))
                  .cwiseAbs()
                  .maxCoeff(),
              kTolerance);
  }
  // sigma itself depends on the generalised inverse; the closed handles' velocities do not and vanish.
  const Eigen::VectorXd velocity = problem.right.head(closed) + a * sigma.head(closed) + b * problem.external;
  EXPECT_LT(velocity.cwiseAbs().maxCoeff(), kTolerance) << closed << " rows, width " << width << ", rank " << rank;
}

TEST(loop_kernels, every_rank_gives_the_pseudo_inverse_on_consistent_right_sides) {
  for (const int closed : {1, 2, 5, 10, 15}) {
    for (const int width : {0, 5, 10}) {
      for (int rank = 1; rank <= closed; ++rank) {
        check_loop(closed, width, rank);
      }
    }
  }
}

TEST(loop_kernels, inconsistent_right_sides_are_met_by_least_squares_over_the_scaled_rows) {
  const int closed = 6;
  const LoopProblem problem(closed, 0, 4, 3);
  Eigen::MatrixXd front;
  ASSERT_EQ(problem.factorise(front), 4);
  RandomSource random(4);
  Eigen::VectorXd right = test::random_matrix(random, closed, 1);
  const Eigen::VectorXd given = right;
  std::vector<double> scratch(closed);
  eliminate_loop_right_side(front.data(), closed, 0, 4, right.data(), scratch.data());
  Eigen::VectorXd sigma(closed);
  recover_loop(front.data(), closed, 0, 4, right.data(), sigma.data());
  // The scaled residual is orthogonal to the range of the scaled matrix.
  const Eigen::VectorXd scale = problem.front.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::VectorXd residual = scale.asDiagonal() * (problem.front * sigma + given);
  EXPECT_GT(residual.norm(), 1e-2);
  EXPECT_LT((scale.asDiagonal() * problem.front * scale.asDiagonal() * residual).norm(), 1e-10);
}

TEST(loop_kernels, a_row_that_cannot_move_is_left_out_however_small_its_rounding) {
  LoopProblem problem(3, 2, 3, 8);
  Eigen::MatrixXd front = problem.front;
  front.row(1).setConstant(1e-17);
  front.col(1).setConstant(1e-17);
  problem.front = front;
  std::vector<double> scratch(loop_scratch_size<double>(3));
  const Eigen::Vector3d free_diagonal = Eigen::Vector3d::Ones();
  EXPECT_EQ(factorise_loop_front(front.data(), 3, 2, free_diagonal.data(), scratch.data()).rank, 2);
  EXPECT_TRUE(front.allFinite());
  EXPECT_EQ(front(1, 0), 0.0);
  EXPECT_EQ(front(1, 1), 0.0);
}

TEST(loop_kernels, a_front_that_is_not_finite_is_reported) {
  LoopProblem problem(3, 0, 3, 8);
  problem.front(1, 1) = std::numeric_limits<double>::quiet_NaN();
  Eigen::MatrixXd front;
  EXPECT_EQ(problem.factorise(front), -1);
}

}  // namespace
}  // namespace mbdbench
