#pragma once
/// \file
/// Solutions of A x = b with a symmetric positive semi-definite A (m x m) of any rank, in a workspace that is sized
/// once.
///
/// Rows come in groups of one unit each, such as the linear rows of a cut joint. A group is scaled by its largest
/// diagonal entry, A_s = s A s; then a Cholesky factorisation with diagonal pivoting tells the rank r: Pi^T A_s Pi = L
/// L^T, L m x r. Full rank: two triangular solutions. Otherwise L = Q R (Gram-Schmidt, two sweeps) and x_s = Q R^-T
/// R^-1 Q^T b_s: least squares of least norm in the scaled unknowns. Cost O(m r^2).
///
/// Not every row by itself: where the rows of a group depend on one another and one of them almost vanishes, its own
/// scale would let a right side that does not fit, if only by drift, outweigh all others (turning_loop_test).
#include <Eigen/Core>
#include <cstddef>
#include <limits>
#include <vector>

namespace mbdbench {

/// Decomposes A and solves without allocation.
class SemidefiniteSolver {
 public:
  /// \param groups m numbers from 0 on: the group of every row
  explicit SemidefiniteSolver(std::vector<std::size_t> groups);

  /// \param a symmetric; the lower triangle is read
  /// \param smallest_diagonal m entries: rows whose diagonal is not above theirs are taken for zero
  /// \param most the rank is not larger than this
  /// \returns whether all entries were finite
  bool decompose(const Eigen::MatrixXd& a, const Eigen::VectorXd& smallest_diagonal,
                 Eigen::Index most = std::numeric_limits<Eigen::Index>::max());
  /// \returns the numerical rank: remaining pivots at or below 1e-12 of the group's largest diagonal entry count as
  /// zero. A holds squares, so this keeps singular values of the constraints down to 1e-6 of their group.
  [[nodiscard]] Eigen::Index rank() const { return rank_; }
  /// \param right b, m entries; receives x
  void solve(Eigen::VectorXd& right);

 private:
  void orthogonalise();

  Eigen::MatrixXd l_;  // columns 0..rank-1: L in pivoted order
  Eigen::MatrixXd q_;
  Eigen::MatrixXd r_;
  std::vector<std::size_t> groups_;
  std::vector<double> largest_;  // diagonal entry of every group
  Eigen::VectorXd scale_;
  Eigen::VectorXd diagonal_;  // what is left of the scaled diagonal, pivoted order
  Eigen::VectorXd permuted_;
  std::vector<Eigen::Index> order_;  // pivoted position -> row
  Eigen::Index rank_ = 0;
};

}  // namespace mbdbench
