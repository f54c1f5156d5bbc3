#include "formulations/derivatives/loops/saddle_solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mbdbench {
namespace {

// What rounding of positions and Jacobians leaves of a row that depends on others is some ten eps; derivatives at
// pivots near that have no digit left.
constexpr double kLostPivot = 1e-12;

}  // namespace

SaddleSolver::SaddleSolver(Eigen::Index size, const Eigen::VectorXd& scales)
    : scales_(scales),
      cholesky_(size),
      rest_(size, scales.size()),
      q_(size, std::min(size, scales.size())),
      r_(Eigen::MatrixXd::Zero(q_.cols(), q_.cols())),
      order_(static_cast<std::size_t>(scales.size())),
      sizes_(scales.size()) {}

double SaddleSolver::choose(Eigen::Index first) {
  Eigen::Index largest = first;
  double square = -1.0;
  for (Eigen::Index c = first; c < rest_.cols(); ++c) {
    const double own = rest_.col(order_[static_cast<std::size_t>(c)]).squaredNorm();
    if (own > square) {
      square = own;
      largest = c;
    }
  }
  std::swap(order_[static_cast<std::size_t>(first)], order_[static_cast<std::size_t>(largest)]);
  return std::sqrt(std::max(square, 0.0));
}

SaddleSolver::Outcome SaddleSolver::factorise(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& constraints,
                                              Eigen::Index rank) {
  cholesky_.compute(mass);
  if (cholesky_.info() != Eigen::Success || !cholesky_.matrixLLT().diagonal().allFinite()) {
    return Outcome::no_mass_matrix;
  }
  rest_.noalias() = constraints.transpose() * scales_.asDiagonal();
  cholesky_.matrixL().solveInPlace(rest_);
  sizes_ = rest_.colwise().norm();
  std::iota(order_.begin(), order_.end(), Eigen::Index{0});
  rank_ = std::min(rank, q_.cols());
  double first = 0.0;
  for (Eigen::Index k = 0; k < rank_; ++k) {
    const double pivot = choose(k);
    first = k == 0 ? pivot : first;
    if (!(pivot > kLostPivot * first)) {
      lost_row_ = *std::max_element(order_.begin() + k, order_.end(),
                                    [&](Eigen::Index a, Eigen::Index b) { return sizes_[a] < sizes_[b]; });
      lost_pivot_ = pivot;
      return Outcome::lost_rank;
    }
    const Eigen::Index chosen = order_[static_cast<std::size_t>(k)];
    auto own = q_.col(k);
    own = rest_.col(chosen);
    for (Eigen::Index i = 0; i < k; ++i) {
      own -= q_.col(i).dot(own) * q_.col(i);
    }
    own /= own.norm();
    for (Eigen::Index c = k + 1; c < rest_.cols(); ++c) {
      auto column = rest_.col(order_[static_cast<std::size_t>(c)]);
      column -= own.dot(column) * own;
    }
  }
  // R_r from the rows themselves, which loses nothing of what both sweeps took away.
  for (Eigen::Index k = 0; k < rank_; ++k) {
    const Eigen::Index row = order_[static_cast<std::size_t>(k)];
    Eigen::VectorXd own = scales_[row] * constraints.row(row).transpose();
    cholesky_.matrixL().solveInPlace(own);
    r_.col(k).head(k + 1).noalias() = q_.leftCols(k + 1).transpose() * own;
  }
  return Outcome::factorised;
}

void SaddleSolver::solve(Eigen::Ref<Eigen::MatrixXd> columns, const Eigen::Ref<const Eigen::MatrixXd>& wanted) {
  cholesky_.matrixL().solveInPlace(columns);
  changes_.resize(rank_, columns.cols());
  if (rank_ > 0) {
    if (wanted.cols() > 0) {
      for (Eigen::Index k = 0; k < rank_; ++k) {
        const Eigen::Index row = order_[static_cast<std::size_t>(k)];
        changes_.row(k) = scales_[row] * wanted.row(row);
      }
      r_.topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>().transpose().solveInPlace(changes_);
    } else {
      changes_.setZero();
    }
    changes_.noalias() -= q_.leftCols(rank_).transpose() * columns;
    columns.noalias() += q_.leftCols(rank_) * changes_;
  }
  cholesky_.matrixU().solveInPlace(columns);
}

Eigen::MatrixXd SaddleSolver::multipliers() const {
  Eigen::MatrixXd chosen = changes_;
  if (rank_ > 0) {
    r_.topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>().solveInPlace(chosen);
  }
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(scales_.size(), chosen.cols());
  for (Eigen::Index k = 0; k < rank_; ++k) {
    const Eigen::Index row = order_[static_cast<std::size_t>(k)];
    all.row(row) = scales_[row] * chosen.row(k);
  }
  return all;
}

}  // namespace mbdbench
