#include "formulations/recursion/semidefinite_solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

constexpr double kSmallestPivot = 1e-12;
constexpr std::size_t kPack = 4;

/// y += factor x
void add(double factor, const double* x, std::size_t size, double* y) {
  for (std::size_t i = 0; i < size; ++i) {
    y[i] += factor * x[i];
  }
}

double product(const double* x, const double* y, std::size_t size) {
  double sum = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    sum += x[i] * y[i];
  }
  return sum;
}

}  // namespace

SemidefiniteSolver::SemidefiniteSolver(std::vector<std::size_t> groups)
    : l_(groups.size() * groups.size()),
      gram_(l_.size()),
      half_(groups.size() * ((groups.size() + kPack - 1) / kPack * kPack)),
      stride_((groups.size() + kPack - 1) / kPack * kPack),
      groups_(std::move(groups)),
      largest_(groups_.empty() ? 0 : *std::max_element(groups_.begin(), groups_.end()) + 1),
      group_scale_(largest_.size()),
      scale_(groups_.size()),
      diagonal_(groups_.size()),
      independent_(groups_.size()),
      dependent_(groups_.size()),
      order_(groups_.size()) {}

bool SemidefiniteSolver::scale(const Eigen::MatrixXd& a, const Eigen::VectorXd& smallest_diagonal) {
  std::fill(largest_.begin(), largest_.end(), 0.0);
  size_ = 0;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double entry = a(row, row);
    if (!std::isfinite(entry)) {
      return false;
    }
    scale_[i] = 0.0;
    if (entry > smallest_diagonal[row]) {
      double& largest = largest_[groups_[i]];
      largest = std::max(largest, entry);
      order_[size_++] = i;
    }
  }
  for (std::size_t group = 0; group < largest_.size(); ++group) {
    group_scale_[group] = largest_[group] > 0.0 ? 1.0 / std::sqrt(largest_[group]) : 0.0;
  }
  for (std::size_t i = 0; i < size_; ++i) {
    const auto row = static_cast<Eigen::Index>(order_[i]);
    scale_[order_[i]] = group_scale_[groups_[order_[i]]];
    diagonal_[i] = a(row, row) / largest_[groups_[order_[i]]];
  }
  return true;
}

std::size_t SemidefiniteSolver::largest_left() const {
  std::size_t largest = rank_;
  for (std::size_t i = rank_; i < size_; ++i) {
    if (!std::isfinite(diagonal_[i])) {
      return i;
    }
    largest = diagonal_[i] > diagonal_[largest] ? i : largest;
  }
  return largest;
}

void SemidefiniteSolver::eliminate(const Eigen::MatrixXd& a) {
  const std::size_t below = rank_ + 1;
  const double pivot = std::sqrt(diagonal_[rank_]);
  const std::size_t pivot_row = order_[rank_];
  double* const l = column(rank_);
  l[rank_] = pivot;
  for (std::size_t i = below; i < size_; ++i) {
    const std::size_t row = order_[i];
    const auto [first, second] = std::minmax(row, pivot_row);
    l[i] = scale_[row] * scale_[pivot_row] * a(static_cast<Eigen::Index>(second), static_cast<Eigen::Index>(first));
  }
  for (std::size_t k = 0; k < rank_; ++k) {
    const double* const other = column(k);
    add(-other[rank_], other + below, size_ - below, l + below);
  }
  const double inverse = 1.0 / pivot;
  for (std::size_t i = below; i < size_; ++i) {
    l[i] *= inverse;
    diagonal_[i] -= l[i] * l[i];
  }
}

bool SemidefiniteSolver::decompose(const Eigen::MatrixXd& a, const Eigen::VectorXd& smallest_diagonal,
                                   Eigen::Index most) {
  if (!scale(a, smallest_diagonal)) {
    return false;
  }
  smallest_pivot_ = 1.0;
  for (rank_ = 0; rank_ < std::min(size_, index_of(most)); ++rank_) {
    const std::size_t largest = largest_left();
    if (!std::isfinite(diagonal_[largest])) {
      return false;
    }
    if (diagonal_[largest] <= kSmallestPivot) {
      break;
    }
    smallest_pivot_ = diagonal_[largest];
    std::swap(order_[rank_], order_[largest]);
    std::swap(diagonal_[rank_], diagonal_[largest]);
    for (std::size_t k = 0; k < rank_; ++k) {
      std::swap(column(k)[rank_], column(k)[largest]);
    }
    eliminate(a);
  }
  if (rank_ > 0 && rank_ < size_) {
    express_dependent_rows();
  }
  return true;
}

void SemidefiniteSolver::express_dependent_rows() {
  const std::size_t dependent = size_ - rank_;
  // W L_1 = L_2, column by column from the last.
  for (std::size_t k = rank_; k-- > 0;) {
    double* const w = column(k) + rank_;
    for (std::size_t j = k + 1; j < rank_; ++j) {
      add(-column(k)[j], column(j) + rank_, dependent, w);
    }
    for (std::size_t i = 0; i < dependent; ++i) {
      w[i] /= column(k)[k];
    }
  }
  for (std::size_t i = 0; i < dependent; ++i) {
    double* const row = &gram_[i * groups_.size()];
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = i == j ? 1.0 : 0.0;
      for (std::size_t k = 0; k < rank_; ++k) {
        sum += column(k)[rank_ + i] * column(k)[rank_ + j];
      }
      const double* const other = &gram_[j * groups_.size()];
      sum -= product(row, other, j);
      row[j] = i == j ? std::sqrt(sum) : sum / other[j];
    }
  }
}

// (I + W^T W)^-1 = I - W^T (I + W W^T)^-1 W
void SemidefiniteSolver::divide_by_gram_matrix() {
  const std::size_t dependent = size_ - rank_;
  const std::size_t stride = groups_.size();
  std::fill_n(dependent_.begin(), dependent, 0.0);
  for (std::size_t k = 0; k < rank_; ++k) {
    add(independent_[k], column(k) + rank_, dependent, dependent_.data());
  }
  for (std::size_t i = 0; i < dependent; ++i) {
    const double* const row = &gram_[i * stride];
    dependent_[i] = (dependent_[i] - product(row, dependent_.data(), i)) / row[i];
  }
  for (std::size_t i = dependent; i-- > 0;) {
    const double* const row = &gram_[i * stride];
    dependent_[i] /= row[i];
    add(-dependent_[i], row, i, dependent_.data());
  }
  for (std::size_t k = 0; k < rank_; ++k) {
    independent_[k] -= product(column(k) + rank_, dependent_.data(), dependent);
  }
}

void SemidefiniteSolver::solve_half() {
  const std::size_t dependent = size_ - rank_;
  for (std::size_t k = 0; k < rank_; ++k) {
    independent_[k] += product(column(k) + rank_, dependent_.data(), dependent);
  }
  if (dependent > 0) {
    divide_by_gram_matrix();
  }
  for (std::size_t k = 0; k < rank_; ++k) {
    const double* const l = column(k);
    independent_[k] /= l[k];
    add(-independent_[k], l + k + 1, rank_ - k - 1, &independent_[k] + 1);
  }
}

void SemidefiniteSolver::add_row(double factor, std::size_t x, std::size_t y, std::size_t count) {
  const double* const from = &half_[x * stride_];
  double* const to = &half_[y * stride_];
  for (std::size_t p = 0; p < count; p += kPack) {
    for (std::size_t i = p; i < p + kPack; ++i) {
      to[i] += factor * from[i];
    }
  }
}

void SemidefiniteSolver::scale_row(double factor, std::size_t x, std::size_t count) {
  double* const row = &half_[x * stride_];
  for (std::size_t p = 0; p < count; p += kPack) {
    for (std::size_t i = p; i < p + kPack; ++i) {
      row[i] *= factor;
    }
  }
}

// All columns of E^T s at once, as solve_half does with one.
void SemidefiniteSolver::write_half(double* half) {
  const std::size_t dependent = rank_ > 0 ? size_ - rank_ : 0;
  std::fill_n(half_.begin(), (rank_ + dependent) * stride_, 0.0);
  for (std::size_t k = 0; k < rank_; ++k) {
    half_[k * stride_ + k] = scale_[order_[k]];
    for (std::size_t i = 0; i < dependent; ++i) {
      half_[k * stride_ + rank_ + i] = column(k)[rank_ + i] * scale_[order_[rank_ + i]];
    }
  }
  for (std::size_t i = 0; i < dependent; ++i) {
    const double* const gram = &gram_[i * groups_.size()];
    for (std::size_t k = 0; k < rank_; ++k) {
      add_row(column(k)[rank_ + i] / gram[i], k, rank_ + i, size_);
    }
    for (std::size_t j = 0; j < i; ++j) {
      add_row(-gram[j] / gram[i], rank_ + j, rank_ + i, size_);
    }
  }
  for (std::size_t i = dependent; i-- > 0;) {
    const double* const gram = &gram_[i * groups_.size()];
    scale_row(1.0 / gram[i], rank_ + i, size_);
    for (std::size_t j = 0; j < i; ++j) {
      add_row(-gram[j], rank_ + i, rank_ + j, size_);
    }
    for (std::size_t k = 0; k < rank_; ++k) {
      add_row(-column(k)[rank_ + i], rank_ + i, k, size_);
    }
  }
  const std::size_t rows = groups_.size();
  std::fill_n(half, rank_ * rows, 0.0);
  for (std::size_t k = 0; k < rank_; ++k) {
    const double* const l = column(k);
    const std::size_t count = dependent > 0 ? size_ : k + 1;  // L_1^-1 is lower triangular
    scale_row(1.0 / l[k], k, count);
    for (std::size_t j = k + 1; j < rank_; ++j) {
      add_row(-l[j], k, j, count);
    }
    for (std::size_t i = 0; i < count; ++i) {
      half[k * rows + order_[i]] = half_[k * stride_ + i];
    }
  }
}

void SemidefiniteSolver::solve(Eigen::VectorXd& right) {
  if (rank_ == 0) {
    right.setZero();
    return;
  }
  const std::size_t dependent = size_ - rank_;
  for (std::size_t i = 0; i < size_; ++i) {
    (i < rank_ ? independent_[i] : dependent_[i - rank_]) =
        scale_[order_[i]] * right[static_cast<Eigen::Index>(order_[i])];
  }
  solve_half();
  for (std::size_t k = rank_; k-- > 0;) {
    const double* const l = column(k);
    independent_[k] = (independent_[k] - product(l + k + 1, &independent_[k] + 1, rank_ - k - 1)) / l[k];
  }
  if (dependent > 0) {
    divide_by_gram_matrix();
  }
  std::fill_n(dependent_.begin(), dependent, 0.0);
  for (std::size_t k = 0; k < rank_; ++k) {
    add(independent_[k], column(k) + rank_, dependent, dependent_.data());
  }
  right.setZero();
  for (std::size_t i = 0; i < size_; ++i) {
    right[static_cast<Eigen::Index>(order_[i])] =
        scale_[order_[i]] * (i < rank_ ? independent_[i] : dependent_[i - rank_]);
  }
}

}  // namespace mbdbench
