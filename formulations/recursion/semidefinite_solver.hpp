#pragma once
/// \file
/// Solutions of A x = b with a symmetric positive semi-definite A (m x m) of any rank, in a workspace that is sized
/// once.
///
/// Rows come in groups of one unit each, such as the linear rows of a cut joint. A group is scaled by its largest
/// diagonal entry, A_s = s A s; then a Cholesky factorisation with diagonal pivoting tells the rank r: Pi^T A_s Pi = L
/// L^T, L = [L_1; L_2] = [I; W] L_1 = E L_1 with L_1 r x r. The solution x_s = E (E^T E)^-1 (L_1 L_1^T)^-1 (E^T E)^-1
/// E^T b_s is least squares of least norm in the scaled unknowns: E^T E = I + W^T W is well conditioned, since pivoting
/// keeps W small, and is inverted by way of I + W W^T, which has one row a dependent row. Without dependent rows two
/// triangular solutions are left. Cost O(m r^2 + (m - r)^2 r), rows that are zero not counted; H costs as much again.
///
/// Not every row by itself: where the rows of a group depend on one another and one of them almost vanishes, its own
/// scale would let a right side that does not fit, if only by drift, outweigh all others (turning_loop_test).
#include <Eigen/Core>
#include <cstddef>
#include <limits>
#include <vector>

namespace mbdbench {

/// Rows whose diagonal entry is below this share of what its terms would give if they did not cancel are zero: their
/// mechanism cannot feel them, such as those out of the plane of planar loops. What is left of them is rounding, or
/// what typed digits of axes and lengths leave, squared: singular values below 1e-7 (kRankWhereClosed). A group of such
/// rows must not be scaled up to 1.
inline constexpr double kZeroRow = 1e-14;

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
  [[nodiscard]] Eigen::Index rank() const { return static_cast<Eigen::Index>(rank_); }
  /// \returns the last pivot that counted, scaled: 1 where all rows are as independent as they can be.
  [[nodiscard]] double smallest_pivot() const { return smallest_pivot_; }
  /// \param right b, m entries; receives x
  void solve(Eigen::VectorXd& right);
  /// The pseudo-inverse that `solve` applies is H^T H. \param half receives H, rank() rows of m numbers
  void write_half(double* half);

 private:
  /// Scales A. \returns whether its diagonal is finite
  bool scale(const Eigen::MatrixXd& a, const Eigen::VectorXd& smallest_diagonal);
  [[nodiscard]] std::size_t largest_left() const;
  void eliminate(const Eigen::MatrixXd& a);
  void express_dependent_rows();
  /// independent_ <- L_1^-1 (E^T E)^-1 E^T of what is in independent_ and dependent_, scaled.
  void solve_half();
  /// y += factor x of two rows of half_, of which so many numbers count.
  void add_row(double factor, std::size_t x, std::size_t y, std::size_t count);
  void scale_row(double factor, std::size_t x, std::size_t count);
  /// independent_ <- (E^T E)^-1 independent_
  void divide_by_gram_matrix();
  [[nodiscard]] double* column(std::size_t k) { return l_.data() + k * groups_.size(); }

  std::vector<double> l_;     // columns of L in pivoted order, m apart; below L_1: W
  std::vector<double> gram_;  // lower Cholesky factor of I + W W^T, rows m apart
  std::vector<double> half_;  // H and behind it (I + W W^T)^-1 W E^T s, in pivoted order, rows `stride_` apart
  std::size_t stride_;        // m, rounded up to whole packs
  std::vector<std::size_t> groups_;
  std::vector<double> largest_;      // diagonal entry of every group
  std::vector<double> group_scale_;  // of its rows
  std::vector<double> scale_;
  std::vector<double> diagonal_;     // what is left of the scaled diagonal, pivoted order
  std::vector<double> independent_;  // of a right side or a solution: the first r in pivoted order
  std::vector<double> dependent_;    // and those behind
  std::vector<std::size_t> order_;   // pivoted position -> row
  std::size_t size_ = 0;             // rows that are not zero
  std::size_t rank_ = 0;
  double smallest_pivot_ = 1.0;
};

}  // namespace mbdbench
