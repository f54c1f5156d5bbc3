#include "formulations/recursion/semidefinite_solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace mbdbench {
namespace {

constexpr double kSmallestPivot = 1e-12;

}  // namespace

SemidefiniteSolver::SemidefiniteSolver(std::vector<std::size_t> groups) : groups_(std::move(groups)) {
  const auto size = static_cast<Eigen::Index>(groups_.size());
  l_.setZero(size, size);
  q_.setZero(size, size);
  r_.setZero(size, size);
  scale_.setZero(size);
  diagonal_.setZero(size);
  permuted_.setZero(size);
  order_.resize(groups_.size());
  largest_.resize(groups_.empty() ? 0 : *std::max_element(groups_.begin(), groups_.end()) + 1);
}

bool SemidefiniteSolver::decompose(const Eigen::MatrixXd& a, const Eigen::VectorXd& smallest_diagonal,
                                   Eigen::Index most) {
  const Eigen::Index size = a.rows();
  std::fill(largest_.begin(), largest_.end(), 0.0);
  for (Eigen::Index i = 0; i < size; ++i) {
    if (!std::isfinite(a(i, i))) {
      return false;
    }
    if (a(i, i) > smallest_diagonal[i]) {
      double& largest = largest_[groups_[static_cast<std::size_t>(i)]];
      largest = std::max(largest, a(i, i));
    }
  }
  for (Eigen::Index i = 0; i < size; ++i) {
    const double largest = largest_[groups_[static_cast<std::size_t>(i)]];
    scale_[i] = a(i, i) > smallest_diagonal[i] ? 1.0 / std::sqrt(largest) : 0.0;
    diagonal_[i] = scale_[i] > 0.0 ? a(i, i) / largest : 0.0;
  }
  const auto entry = [&](Eigen::Index i, Eigen::Index j) {
    return scale_[i] * scale_[j] * (i > j ? a(i, j) : a(j, i));
  };
  std::iota(order_.begin(), order_.end(), Eigen::Index{0});
  for (rank_ = 0; rank_ < std::min(size, most); ++rank_) {
    Eigen::Index largest = rank_;
    for (Eigen::Index i = rank_; i < size; ++i) {
      if (!std::isfinite(diagonal_[i])) {
        return false;
      }
      largest = diagonal_[i] > diagonal_[largest] ? i : largest;
    }
    if (diagonal_[largest] <= kSmallestPivot) {
      break;
    }
    std::swap(order_[static_cast<std::size_t>(rank_)], order_[static_cast<std::size_t>(largest)]);
    std::swap(diagonal_[rank_], diagonal_[largest]);
    l_.row(rank_).head(rank_).swap(l_.row(largest).head(rank_));
    l_.col(rank_).head(rank_).setZero();
    const double pivot = std::sqrt(diagonal_[rank_]);
    l_(rank_, rank_) = pivot;
    const Eigen::Index pivot_row = order_[static_cast<std::size_t>(rank_)];
    for (Eigen::Index i = rank_ + 1; i < size; ++i) {
      const double product = l_.row(i).head(rank_).dot(l_.row(rank_).head(rank_));
      l_(i, rank_) = (entry(order_[static_cast<std::size_t>(i)], pivot_row) - product) / pivot;
      diagonal_[i] -= l_(i, rank_) * l_(i, rank_);
    }
  }
  if (rank_ < size) {
    orthogonalise();
  }
  return true;
}

void SemidefiniteSolver::orthogonalise() {
  for (Eigen::Index c = 0; c < rank_; ++c) {
    q_.col(c) = l_.col(c);
    r_.col(c).head(rank_).setZero();
    // One sweep leaves an error of eps times the condition number, a second removes it.
    for (int sweep = 0; sweep < 2; ++sweep) {
      for (Eigen::Index k = 0; k < c; ++k) {
        const double projection = q_.col(k).dot(q_.col(c));
        q_.col(c) -= projection * q_.col(k);
        r_(k, c) += projection;
      }
    }
    r_(c, c) = q_.col(c).norm();
    q_.col(c) /= r_(c, c);
  }
}

void SemidefiniteSolver::solve(Eigen::VectorXd& right) {
  const Eigen::Index size = right.size();
  for (Eigen::Index i = 0; i < size; ++i) {
    const Eigen::Index row = order_[static_cast<std::size_t>(i)];
    permuted_[i] = scale_[row] * right[row];
  }
  if (rank_ == size) {
    for (Eigen::Index i = 0; i < size; ++i) {
      permuted_[i] = (permuted_[i] - l_.row(i).head(i).dot(permuted_.head(i))) / l_(i, i);
    }
    for (Eigen::Index i = size - 1; i >= 0; --i) {
      const Eigen::Index below = size - i - 1;
      permuted_[i] = (permuted_[i] - l_.col(i).tail(below).dot(permuted_.tail(below))) / l_(i, i);
    }
  } else {
    for (Eigen::Index c = 0; c < rank_; ++c) {
      diagonal_[c] = q_.col(c).dot(permuted_);
    }
    for (Eigen::Index i = rank_ - 1; i >= 0; --i) {
      const Eigen::Index after = rank_ - i - 1;
      diagonal_[i] = (diagonal_[i] - r_.row(i).segment(i + 1, after).dot(diagonal_.segment(i + 1, after))) / r_(i, i);
    }
    for (Eigen::Index i = 0; i < rank_; ++i) {
      diagonal_[i] = (diagonal_[i] - r_.col(i).head(i).dot(diagonal_.head(i))) / r_(i, i);
    }
    permuted_.setZero();
    for (Eigen::Index c = 0; c < rank_; ++c) {
      permuted_ += diagonal_[c] * q_.col(c);
    }
  }
  for (Eigen::Index i = 0; i < size; ++i) {
    const Eigen::Index row = order_[static_cast<std::size_t>(i)];
    right[row] = scale_[row] * permuted_[i];
  }
}

}  // namespace mbdbench
