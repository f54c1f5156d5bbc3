// The node formula where loops close, against Eigen's pseudo-inverse, for every rank and instruction set.
#include "formulations/assembly/nodes/loop_kernels.hpp"

#include "tests/formulations/node_problem.hpp"

namespace mbdbench {
namespace {

// Rounding of some hundred operations times the condition of the random factors, squared (up to 1e4 or so).
constexpr double kTolerance = 1e-9;

void check_loop(const NodeSteps& steps, const std::vector<int>& closed, const std::vector<int>& external, int rank) {
  test::NodeProblem problem(closed, external,
                            static_cast<std::uint64_t>(10 + 1000 * closed.size() + 100 * external.size()) +
                                static_cast<std::uint64_t>(10 * closed.front() + rank));
  problem.set_rank(rank);
  ASSERT_EQ(problem.close_loops(steps, problem.closed_rows()).rank, rank);
  const Eigen::MatrixXd a = problem.closed_block();
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(1e-10);
  decomposition.compute(a);
  problem.check_solution(steps, decomposition.pseudoInverse(), kTolerance);
  // sigma itself depends on the generalised inverse; the closed handles' velocities do not and vanish.
  const Eigen::VectorXd velocity = problem.right_closed() + a * problem.sigma_closed() +
                                   problem.outside_block().transpose() * problem.sigma_external();
  EXPECT_LT(velocity.cwiseAbs().maxCoeff(), kTolerance) << problem.closed_rows() << " rows, rank " << rank;
}

TEST(loop_kernels, every_rank_gives_the_pseudo_inverse_on_consistent_right_sides) {
  for (const NodeSteps& steps : test::available_steps()) {
    for (const std::vector<int>& closed : {std::vector<int>{1}, {2}, {5}, {5, 5}, {6, 3}, {5, 5, 5}, {5, 6, 6, 3}}) {
      for (const std::vector<int>& external : {std::vector<int>{}, {5}, {5, 3}}) {
        int rows = 0;
        for (const int count : closed) {
          rows += count;
        }
        for (int rank = 1; rank <= rows; ++rank) {
          check_loop(steps, closed, external, rank);
        }
      }
    }
  }
}

TEST(loop_kernels, inconsistent_right_sides_are_met_by_least_squares_over_the_scaled_rows) {
  for (const NodeSteps& steps : test::available_steps()) {
    for (const std::vector<int>& closed : {std::vector<int>{6}, {5, 5}, {5, 5, 5}}) {
      test::NodeProblem problem(closed, {}, 3);
      problem.set_rank(4);
      ASSERT_EQ(problem.close_loops(steps, problem.closed_rows()).rank, 4);
      RandomSource random(4);
      const Eigen::VectorXd right = test::random_matrix(random, problem.closed_rows(), 1);
      problem.set_right(right);
      problem.solve(steps);
      // The scaled residual is orthogonal to the range of the scaled matrix, and the scaled sigma lies in it.
      const Eigen::VectorXd scale = problem.matrix.diagonal().cwiseSqrt().cwiseInverse();
      const Eigen::MatrixXd scaled = scale.asDiagonal() * problem.matrix * scale.asDiagonal();
      const Eigen::VectorXd residual = scale.asDiagonal() * (problem.matrix * problem.sigma_closed() + right);
      EXPECT_GT(residual.norm(), 1e-2);
      EXPECT_LT((scaled * residual).norm(), 1e-10);
      const Eigen::VectorXd unscaled = problem.sigma_closed().cwiseQuotient(scale);
      Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
      decomposition.setThreshold(1e-10);
      decomposition.compute(scaled);
      EXPECT_LT((decomposition.pseudoInverse() * scaled * unscaled - unscaled).norm(), 1e-9 * unscaled.norm());
    }
  }
}

TEST(loop_kernels, the_rank_is_not_larger_than_its_limit) {
  for (const NodeSteps& steps : test::available_steps()) {
    test::NodeProblem problem({5, 5}, {5}, 9);
    problem.set_rank(8);
    EXPECT_EQ(problem.close_loops(steps, 7).rank, 7);
  }
}

TEST(loop_kernels, a_row_that_cannot_move_is_left_out_however_small_its_rounding) {
  for (const NodeSteps& steps : test::available_steps()) {
    test::NodeProblem problem({3}, {2}, 8);
    problem.set_rank(3);
    problem.matrix.row(1).setConstant(1e-17);
    problem.matrix.col(1).setConstant(1e-17);
    problem.set_shift(1.0);
    EXPECT_EQ(problem.close_loops(steps, 3).rank, 2);
    problem.solve(steps);
    EXPECT_TRUE(problem.sigma_closed().allFinite());
    EXPECT_EQ(problem.sigma_closed()[1], 0.0);
  }
}

TEST(loop_kernels, a_front_that_is_not_finite_is_reported) {
  for (const NodeSteps& steps : test::available_steps()) {
    test::NodeProblem problem({3}, {2}, 8);
    problem.set_rank(3);
    problem.matrix(1, 1) = std::numeric_limits<double>::infinity();
    EXPECT_EQ(problem.close_loops(steps, 3).rank, -1);
  }
}

}  // namespace
}  // namespace mbdbench
