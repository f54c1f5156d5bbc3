// The node kernels against Eigen's dense algebra, with sizes at compile time and at run time, in double and long
// double.
#include "formulations/assembly/node_kernels.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "mechanisms/catalogue/random_source.hpp"

namespace mbdbench {
namespace {

template <typename Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

/// A positive definite front of condition about 1e2, its right side and given external multipliers.
template <typename Scalar>
struct NodeProblem {
  Matrix<Scalar> front;
  Matrix<Scalar> right;
  Matrix<Scalar> external;
};

template <typename Scalar>
NodeProblem<Scalar> random_problem(int closed, int width, std::uint64_t seed) {
  RandomSource random(seed);
  const auto fill = [&](int rows, int columns) {
    Matrix<Scalar> matrix(rows, columns);
    for (int i = 0; i < rows * columns; ++i) {
      matrix(i) = static_cast<Scalar>(random.uniform(-1.0, 1.0));
    }
    return matrix;
  };
  const int m = closed + width;
  const Matrix<Scalar> factor = fill(m, m);
  return {factor * factor.transpose() + Scalar(0.5) * Matrix<Scalar>::Identity(m, m), fill(m, 1), fill(width, 1)};
}

template <typename Scalar, int kClosed, int kWidth>
void check_node(int closed, int width, Scalar tolerance) {
  const NodeProblem<Scalar> problem =
      random_problem<Scalar>(closed, width, 100 + static_cast<std::uint64_t>(closed * 20 + width));
  const Matrix<Scalar> a = problem.front.topLeftCorner(closed, closed);
  const Matrix<Scalar> b = problem.front.topRightCorner(closed, width);
  const Matrix<Scalar> inverse = a.inverse();
  const Matrix<Scalar> expected_front = problem.front.bottomRightCorner(width, width) - b.transpose() * inverse * b;
  const Matrix<Scalar> expected_right =
      problem.right.bottomRows(width) - b.transpose() * inverse * problem.right.topRows(closed);
  const Matrix<Scalar> expected_sigma = -inverse * (problem.right.topRows(closed) + b * problem.external);

  Matrix<Scalar> front = problem.front;
  front.template triangularView<Eigen::StrictlyUpper>().setConstant(Scalar(99));  // must not be read
  Matrix<Scalar> right = problem.right;
  const int failed = factorise_front<Scalar, kClosed, kWidth>(front.data(), closed, width);
  ASSERT_EQ(failed, -1);
  eliminate_right_side<Scalar, kClosed, kWidth>(front.data(), closed, width, right.data());
  Matrix<Scalar> sigma(closed + width, 1);
  sigma.bottomRows(width) = problem.external;
  recover_closed<Scalar, kClosed, kWidth>(front.data(), closed, width, right.data(), sigma.data());

  const Matrix<Scalar> lower = front.bottomRightCorner(width, width).template triangularView<Eigen::Lower>();
  const Matrix<Scalar> expected_lower = expected_front.template triangularView<Eigen::Lower>();
  if (width > 0) {
    EXPECT_LT((lower - expected_lower).cwiseAbs().maxCoeff(), tolerance);
    EXPECT_LT((right.bottomRows(width) - expected_right).cwiseAbs().maxCoeff(), tolerance);
  }
  EXPECT_LT((sigma.topRows(closed) - expected_sigma).cwiseAbs().maxCoeff(), tolerance);
}

// Rounding of a few hundred operations on numbers up to 10, times the condition 1e2.
constexpr double kDoubleTolerance = 1e-11;
constexpr long double kLongTolerance = 1e-14L;

TEST(node_kernels, sizes_at_compile_time) {
  check_node<double, 5, 10>(5, 10, kDoubleTolerance);
  check_node<double, 5, 5>(5, 5, kDoubleTolerance);
  check_node<double, 5, 0>(5, 0, kDoubleTolerance);
  check_node<double, 3, 6>(3, 6, kDoubleTolerance);
}

TEST(node_kernels, sizes_at_run_time) {
  for (int closed = 1; closed <= 12; ++closed) {
    for (const int width : {0, 1, 4, 10, 25}) {
      check_node<double, -1, -1>(closed, width, kDoubleTolerance);
    }
  }
}

TEST(node_kernels, long_double_is_more_accurate) {
  check_node<long double, 5, 10>(5, 10, kLongTolerance);
}

TEST(node_kernels, a_pivot_that_is_not_positive_is_reported_with_its_column) {
  Matrix<double> front = Matrix<double>::Identity(4, 4);
  front(2, 2) = -1.0;
  EXPECT_EQ((factorise_front<double, -1, -1>(front.data(), 4, 0)), 2);
  front = Matrix<double>::Identity(4, 4);
  front(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ((factorise_front<double, -1, -1>(front.data(), 4, 0)), 1);
}

}  // namespace
}  // namespace mbdbench
