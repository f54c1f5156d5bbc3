#pragma once
/// \file
/// M v = p + Phi^T sigma, Phi v = w for many right sides, with rows of Phi that may depend on others.
///
/// M = L L^T, B = R Phi L^-T with R the scales of the rows; as many rows of B as the rank says, the largest that is
/// left first, are made orthonormal: B_r^T = Q R_r, Q by two sweeps of Gram-Schmidt. B is never squared. With y = L^T v
///
///   y = (1 - Q Q^T) L^-1 p + Q R_r^-T w_r,   sigma = R_r^-1 (R_r^-T w_r - Q^T L^-1 p) on the chosen rows
///
/// Cost: O(n^3 + r m n) once, O(n^2 + r n) a right side.
#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <vector>

namespace mbdbench {

class SaddleSolver {
 public:
  /// \param scales R, one entry a row of Phi
  SaddleSolver(Eigen::Index size, const Eigen::VectorXd& scales);

  /// What factorising came to.
  enum class Outcome { factorised, no_mass_matrix, lost_rank };
  /// \param rank of Phi; fewer independent rows than that are lost_rank
  Outcome factorise(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& constraints, Eigen::Index rank);
  /// \returns after lost_rank, the row that depends on the others there, and the pivot that is left.
  [[nodiscard]] Eigen::Index lost_row() const { return lost_row_; }
  [[nodiscard]] double lost_pivot() const { return lost_pivot_; }

  /// \param columns p, receives v \param wanted w, a row a constraint; of no columns: zero
  void solve(Eigen::Ref<Eigen::MatrixXd> columns, const Eigen::Ref<const Eigen::MatrixXd>& wanted);
  /// \returns sigma of the last `solve`, a column a right side.
  [[nodiscard]] Eigen::MatrixXd multipliers() const;

 private:
  /// \returns the largest column of what is left, from `first` on in the order, moved to `first`.
  double choose(Eigen::Index first);

  Eigen::VectorXd scales_;
  Eigen::LLT<Eigen::MatrixXd> cholesky_;
  Eigen::MatrixXd rest_;  // columns of B^T less what is along Q
  Eigen::MatrixXd q_;
  Eigen::MatrixXd r_;  // R_r, upper triangle
  std::vector<Eigen::Index> order_;
  Eigen::VectorXd sizes_;  // of the columns of B^T
  Eigen::Index rank_ = 0;
  Eigen::Index lost_row_ = 0;
  double lost_pivot_ = 0.0;
  Eigen::MatrixXd changes_;  // of y along Q
};

}  // namespace mbdbench
