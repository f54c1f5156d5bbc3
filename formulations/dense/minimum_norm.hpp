#pragma once
/// \file
/// Minimum-norm solutions with one wide matrix B (m x n) of any rank, in a workspace that is sized once.
///
/// Complete orthogonal decomposition B^T Pi = Q_r R (Householder QR with column pivoting, rank r), R^T = W T
/// (Gram-Schmidt):
///   y of least norm with B y = r     is  y = Q_r z,   z = T^-1 W^T Pi^T r
///   l of least norm with B^T l = y   is  l = Pi W T^-T z
/// Cost O(m^2 n). B is never squared, so singular values are told apart down to eps relative, not sqrt(eps).
#include <Eigen/Core>
#include <Eigen/QR>
#include <limits>

namespace mbdbench {

/// Decomposes B and solves both systems without allocation.
class MinimumNormSolver {
 public:
  /// \param rows m, rows of B \param columns n
  MinimumNormSolver(Eigen::Index rows, Eigen::Index columns);

  /// \param b_transposed B^T, n x m
  /// \param smallest pivots up to this size count as zero: the rounding that B's entries carry where they are what is
  /// left of larger terms; 0 where they are exact
  /// \param most the rank is not larger than this
  void decompose(const Eigen::MatrixXd& b_transposed, double smallest,
                 Eigen::Index most = std::numeric_limits<Eigen::Index>::max());
  /// Decomposes B as if it had this rank, whatever its pivots say.
  void decompose_with_rank(const Eigen::MatrixXd& b_transposed, Eigen::Index rank);
  /// Lowers the rank until the smallest pivot is above this share of the largest.
  void drop_pivots_below(double share);
  /// \returns the numerical rank of B: pivots up to `smallest`, or below max(m, n) eps relative to the largest, count
  ///          as zero.
  [[nodiscard]] Eigen::Index rank() const { return rank_; }

  /// \returns y of least norm with B y = r (least squares if r is not in the range of B). \param r m entries; y: n
  /// entries
  const Eigen::VectorXd& solve_b(const Eigen::VectorXd& r);
  /// \returns l of least norm with B^T l = y for the y that solve_b returned last; m entries.
  const Eigen::VectorXd& solve_b_transposed();

 private:
  /// R^T = W T of the first rank_ rows of R.
  void orthonormalise();

  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr_;
  Eigen::MatrixXd w_;  // m x m, the first rank_ columns in use
  Eigen::MatrixXd t_;  // upper triangular, rank_ x rank_ in use
  Eigen::Index rank_ = 0;
  Eigen::VectorXd z_;
  Eigen::VectorXd y_;
  Eigen::VectorXd l_;
  Eigen::VectorXd permuted_;
};

}  // namespace mbdbench
