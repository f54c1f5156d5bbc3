#include "integrators/matlab/backward_differences.hpp"

namespace mbdbench {
namespace {

constexpr int kLargestOrder = NumericalDifferentiation::kLargestOrder;
using GridMatrix = Eigen::Matrix<double, kLargestOrder, kLargestOrder>;

/// \returns R(ratio): entry (j, r) is the product of (m - 1 - r ratio) / m over m = 1 ... j.
GridMatrix grid_matrix(double ratio) {
  GridMatrix result;
  for (int r = 1; r <= kLargestOrder; ++r) {
    double product = 1.0;
    for (int j = 1; j <= kLargestOrder; ++j) {
      product *= (j - 1 - r * ratio) / j;
      result(j - 1, r - 1) = product;
    }
  }
  return result;
}

}  // namespace

BackwardDifferences::BackwardDifferences(std::size_t size)
    : differences_(Eigen::MatrixXd::Zero(size, kLargestOrder + 2)), rescaled_(size, kLargestOrder) {}

void BackwardDifferences::restart(double h, const Eigen::VectorXd& f) {
  differences_.setZero();
  differences_.col(0) = h * f;
}

void BackwardDifferences::rescale(int order, double ratio) {
  // U = R(1) is its own inverse: with it differences become values on the old grid, and back on the new one.
  static const GridMatrix to_values = grid_matrix(1.0);
  const GridMatrix change = grid_matrix(ratio) * to_values;
  rescaled_.leftCols(order) = differences_.leftCols(order).lazyProduct(change.topLeftCorner(order, order));
  differences_.leftCols(order) = rescaled_.leftCols(order);
}

void BackwardDifferences::predict(int order, const NumericalDifferentiation& formulas, const Eigen::VectorXd& x,
                                  Eigen::VectorXd& predicted, Eigen::VectorXd& constant) const {
  predicted = x;
  constant.setZero();
  for (int j = 1; j <= order; ++j) {
    predicted += difference(j);
    constant += (NumericalDifferentiation::gamma(j) * formulas.leading(order)) * difference(j);
  }
}

void BackwardDifferences::accept(int order, const Eigen::VectorXd& top) {
  differences_.col(order + 1) = top - differences_.col(order);
  differences_.col(order) = top;
  for (int j = order - 1; j >= 0; --j) {
    differences_.col(j) += differences_.col(j + 1);
  }
}

void BackwardDifferences::interpolate(int order, double fraction, const Eigen::VectorXd& x_new,
                                      Eigen::Map<Eigen::VectorXd> out) const {
  out = x_new;
  double weight = 1.0;
  for (int j = 1; j <= order; ++j) {
    weight *= (fraction + j - 1) / j;
    out += weight * difference(j);
  }
}

}  // namespace mbdbench
