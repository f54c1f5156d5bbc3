// The node kernels against Eigen's dense algebra, for every instruction set that this machine has.
#include "tests/formulations/node_problem.hpp"

namespace mbdbench {
namespace {

// Rounding of a few hundred operations on numbers up to 10, times the condition 1e3.
constexpr double kNodeTolerance = 1e-11;

void check_node(const NodeSteps& steps, const std::vector<int>& closed, const std::vector<int>& external,
                std::uint64_t seed) {
  test::NodeProblem problem(closed, external, seed);
  problem.set_regular();
  const Eigen::MatrixXd a = problem.closed_block();
  const Eigen::MatrixXd b = problem.outside_block();
  const Eigen::MatrixXd inverse = a.inverse();
  const NodeRank found = problem.close(steps, false);
  ASSERT_EQ(found.rank, a.rows());
  problem.check_solution(steps, inverse, kNodeTolerance);
  EXPECT_LT((a * problem.sigma_closed() + problem.right_closed() + b.transpose() * problem.sigma_external())
                .cwiseAbs()
                .maxCoeff(),
            kNodeTolerance);
}

TEST(node_kernels, every_kind_of_handle) {
  std::uint64_t seed = 100;
  for (const NodeSteps& steps : test::available_steps()) {
    for (int rows = 1; rows <= 6; ++rows) {
      check_node(steps, {rows}, {}, ++seed);
      check_node(steps, {rows}, {5}, ++seed);
      check_node(steps, {rows}, {3, 6, 1}, ++seed);
      check_node(steps, {5, rows}, {5, 2, rows, 4}, ++seed);
      check_node(steps, {5, rows, 6}, {5}, ++seed);
    }
  }
}

TEST(node_kernels, regularised_rows) {
  for (const NodeSteps& steps : test::available_steps()) {
    test::NodeProblem problem({5, 3}, {5, 4}, 7);
    problem.set_regular();
    problem.set_shift(0.25);
    const Eigen::MatrixXd shifted =
        problem.closed_block() + 0.25 * Eigen::MatrixXd::Identity(problem.closed_rows(), problem.closed_rows());
    ASSERT_EQ(problem.close(steps, true).rank, problem.closed_rows());
    problem.check_solution(steps, shifted.inverse(), kNodeTolerance);
  }
}

TEST(node_kernels, a_pivot_that_is_not_positive_is_reported_with_its_row) {
  for (const NodeSteps& steps : test::available_steps()) {
    for (const std::vector<int>& closed : {std::vector<int>{4}, std::vector<int>{1, 3}}) {
      for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
        test::NodeProblem problem(closed, {2}, 1);
        problem.matrix.setIdentity();
        problem.matrix(2, 2) = bad;
        const NodeRank found = problem.close(steps, false);
        EXPECT_EQ(found.rank, -1);
        EXPECT_EQ(found.failed_row, 2);
        EXPECT_FALSE(found.smallest_pivot > 0.0);
      }
    }
  }
}

}  // namespace
}  // namespace mbdbench
