/// \file
/// Singular values of matrices that lack rank.
#include "mechanisms/model/validation/spectrum.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "mechanisms/catalogue/trees/random_source.hpp"

namespace mbdbench {
namespace {

/// 18 x 17, rows of zeros but for at most 13.
Eigen::MatrixXd with_rows_of_zeros(std::int64_t seed) {
  RandomSource random(seed);
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(18, 17);
  for (int i = 0; i < 13; ++i) {
    const int row = std::min(17, static_cast<int>(random.uniform(0.0, 18.0)));
    for (int column = 0; column < 17; ++column) {
      a(row, column) = random.uniform(-1.0, 1.0);
    }
  }
  return a;
}

TEST(spectrum, of_matrices_without_full_rank_is_right) {
  // Eigen 3.4.0's divide and conquer is wrong on seeds 171 and 190 by 0.2 and 0.3.
  for (std::int64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    const Eigen::MatrixXd a = with_rows_of_zeros(seed);
    const SingularDecomposition svd = singular_decomposition(a);
    // Backward stable: some ten eps |A|, |A| < 20.
    const double rounding = 1e-13;
    EXPECT_LT((singular_values(a) - svd.values).lpNorm<Eigen::Infinity>(), rounding);
    EXPECT_LT((svd.v.transpose() * svd.v - Eigen::MatrixXd::Identity(17, 17)).lpNorm<Eigen::Infinity>(), rounding);
    const Eigen::MatrixXd product = a * svd.v;
    const Eigen::MatrixXd gram = product.transpose() * product;
    EXPECT_LT((product.colwise().norm().transpose() - svd.values).lpNorm<Eigen::Infinity>(), rounding);
    EXPECT_LT((gram - Eigen::MatrixXd(svd.values.cwiseAbs2().asDiagonal())).lpNorm<Eigen::Infinity>(), 40.0 * rounding);
  }
}

}  // namespace
}  // namespace mbdbench
