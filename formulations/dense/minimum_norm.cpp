#include "formulations/dense/minimum_norm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mbdbench {

MinimumNormSolver::MinimumNormSolver(Eigen::Index rows, Eigen::Index columns)
    : qr_(columns, rows),
      w_(Eigen::MatrixXd::Zero(rows, rows)),
      t_(Eigen::MatrixXd::Zero(rows, rows)),
      z_(Eigen::VectorXd::Zero(rows)),
      y_(Eigen::VectorXd::Zero(columns)),
      l_(Eigen::VectorXd::Zero(rows)),
      permuted_(Eigen::VectorXd::Zero(rows)) {
  qr_.setThreshold(static_cast<double>(std::max<Eigen::Index>({rows, columns, 1})) *
                   std::numeric_limits<double>::epsilon());
}

void MinimumNormSolver::decompose(const Eigen::MatrixXd& b_transposed, double smallest, Eigen::Index most) {
  rank_ = 0;
  if (b_transposed.size() == 0) {
    return;
  }
  qr_.compute(b_transposed);
  rank_ = std::min(qr_.rank(), most);
  // Pivots fall: what is left after the first that is rounding is rounding too.
  while (rank_ > 0 && !(std::abs(qr_.matrixQR()(rank_ - 1, rank_ - 1)) > smallest)) {
    --rank_;
  }
  orthonormalise();
}

void MinimumNormSolver::decompose_with_rank(const Eigen::MatrixXd& b_transposed, Eigen::Index rank) {
  rank_ = b_transposed.size() == 0 ? 0 : rank;
  if (rank_ > 0) {
    qr_.compute(b_transposed);
    orthonormalise();
  }
}

void MinimumNormSolver::orthonormalise() {
  // Rows of R become the columns of R^T = W T; two sweeps of Gram-Schmidt keep W orthonormal to rounding.
  for (Eigen::Index c = 0; c < rank_; ++c) {
    w_.col(c).head(c).setZero();
    w_.col(c).tail(w_.rows() - c) = qr_.matrixQR().row(c).tail(w_.rows() - c).transpose();
    t_.col(c).head(rank_).setZero();
    for (int sweep = 0; sweep < 2; ++sweep) {
      for (Eigen::Index k = 0; k < c; ++k) {
        const double projection = w_.col(k).dot(w_.col(c));
        w_.col(c) -= projection * w_.col(k);
        t_(k, c) += projection;
      }
    }
    t_(c, c) = w_.col(c).norm();
    w_.col(c) /= t_(c, c);
  }
}

void MinimumNormSolver::drop_pivots_below(double share) {
  while (rank_ > 0 && !(std::abs(qr_.matrixQR()(rank_ - 1, rank_ - 1)) > share * std::abs(qr_.matrixQR()(0, 0)))) {
    --rank_;
  }
}

const Eigen::VectorXd& MinimumNormSolver::solve_b(const Eigen::VectorXd& r) {
  y_.setZero();
  if (rank_ == 0) {
    return y_;
  }
  for (Eigen::Index i = 0; i < r.size(); ++i) {
    permuted_[i] = r[qr_.colsPermutation().indices()[i]];
  }
  for (Eigen::Index c = 0; c < rank_; ++c) {
    z_[c] = w_.col(c).dot(permuted_);
  }
  // R^T z = Pi^T r with R^T = W T: z = T^-1 W^T Pi^T r.
  for (Eigen::Index c = rank_ - 1; c >= 0; --c) {
    z_[c] /= t_(c, c);
    z_.head(c) -= z_[c] * t_.col(c).head(c);
  }
  y_.head(rank_) = z_.head(rank_);
  for (Eigen::Index k = rank_ - 1; k >= 0; --k) {
    const Eigen::Index below = y_.size() - k - 1;
    const auto reflector = qr_.matrixQR().col(k).tail(below);
    const double projection = qr_.hCoeffs()[k] * (y_[k] + reflector.dot(y_.tail(below)));
    y_[k] -= projection;
    y_.tail(below) -= projection * reflector;
  }
  return y_;
}

const Eigen::VectorXd& MinimumNormSolver::solve_b_transposed() {
  l_.setZero();
  if (rank_ == 0) {
    return l_;
  }
  // B^T l = Q_r R Pi^T l = Q_r z: Pi^T l = W T^-T z.
  for (Eigen::Index c = 0; c < rank_; ++c) {
    z_[c] = (z_[c] - t_.col(c).head(c).dot(z_.head(c))) / t_(c, c);
  }
  permuted_.setZero();
  for (Eigen::Index c = 0; c < rank_; ++c) {
    permuted_ += z_[c] * w_.col(c);
  }
  for (Eigen::Index i = 0; i < l_.size(); ++i) {
    l_[qr_.colsPermutation().indices()[i]] = permuted_[i];
  }
  return l_;
}

}  // namespace mbdbench
