#pragma once
/// \file
/// Solutions of A x = b with a symmetric positive semi-definite A (m x m) of any rank, in a workspace that is sized
/// once.
///
/// Rows are equilibrated by Jacobi scaling, A_s = s A s with a unit diagonal; then a Cholesky factorisation with
/// diagonal pivoting tells the rank r: Pi^T A_s Pi = L L^T, L m x r. Full rank: two triangular solutions. Otherwise
/// L = Q R (Gram-Schmidt, two sweeps) and x_s = Q R^-T R^-1 Q^T b_s: least squares of least norm in the scaled
/// unknowns. Cost O(m r^2).
#include <Eigen/Core>
#include <vector>

namespace mbdbench {

/// Decomposes A and solves without allocation.
class SemidefiniteSolver {
 public:
  /// \param size m
  explicit SemidefiniteSolver(Eigen::Index size);

  /// \param a symmetric; the lower triangle is read
  /// \param smallest_diagonal m entries: rows whose diagonal is not above theirs are taken for zero
  /// \returns whether all entries were finite
  bool decompose(const Eigen::MatrixXd& a, const Eigen::VectorXd& smallest_diagonal);
  /// \returns the numerical rank: remaining pivots at or below 1e-12 of the scaled diagonal count as zero. A holds
  /// squares, so this keeps singular values of the constraints down to 1e-6 of their row.
  [[nodiscard]] Eigen::Index rank() const { return rank_; }
  /// \param right b, m entries; receives x
  void solve(Eigen::VectorXd& right);

 private:
  void orthogonalise();

  Eigen::MatrixXd l_;  // columns 0..rank-1: L in pivoted order
  Eigen::MatrixXd q_;
  Eigen::MatrixXd r_;
  Eigen::VectorXd scale_;
  Eigen::VectorXd diagonal_;  // what is left of the scaled diagonal, pivoted order
  Eigen::VectorXd permuted_;
  std::vector<Eigen::Index> order_;  // pivoted position -> row
  Eigen::Index rank_ = 0;
};

}  // namespace mbdbench
