#pragma once
/// \file
/// The rows of cut joints and, behind them, of couplings without a mass matrix: A = Phi M^-1 Phi^T by CarriedRows, its
/// decomposition, and what the multipliers do [Malczyk2008, section 2], [Bae1988].
///
/// Cost: that of CarriedRows, then O(m^3) for m rows.
#include <Eigen/Core>
#include <vector>

#include "formulations/recursion/carried_rows.hpp"
#include "formulations/recursion/cut_end.hpp"
#include "formulations/recursion/semidefinite_solver.hpp"

namespace mbdbench {

/// Workspace of all rows of one mechanism but prescribed motions of its tree joints. Allocates nothing after
/// construction.
class CutRows {
 public:
  CutRows(const Mechanism& mechanism, BaumgarteConstants baumgarte);

  [[nodiscard]] bool empty() const { return multipliers_.size() == 0; }
  /// The matrix A and its decomposition, after tree.set_positions. \returns a status that names a joint when the rows
  /// are not finite
  RhsStatus set_positions(const BodyRecursion& tree, std::span<const double> q);
  /// Solves for lambda and adds what it does to the tree's free accelerations; between tree.sweep_loads and
  /// tree.sweep_accelerations.
  void close_accelerations(BodyRecursion& tree);
  /// The same for sigma and velocities that keep the cut joints closed; between tree.sweep_momenta and
  /// tree.sweep_velocities.
  void close_velocities(BodyRecursion& tree);
  /// \returns D lambda of cut joint c on its body b.
  [[nodiscard]] Vec6 wrench(const BodyRecursion& tree, int c) const;
  /// \returns the numerical rank of A.
  [[nodiscard]] Eigen::Index rank() const { return solver_.rank(); }

 private:
  void set_acceleration_right_side(const BodyRecursion& tree);

  void close(BodyRecursion& tree);
  /// \returns what the prescribed components add to a coupling's rate. \param rates over u
  [[nodiscard]] double prescribed_rate(const Coupling& coupling, std::span<const double> rates) const;

  const Mechanism* mechanism_;
  BaumgarteConstants baumgarte_;
  CarriedRows rows_;
  Eigen::MatrixXd a_;
  Eigen::VectorXd smallest_diagonal_;
  Eigen::VectorXd multipliers_;
  std::vector<int> prescribed_;  // components of u
  std::vector<double> open_;     // residuals of the couplings at the positions
  SemidefiniteSolver solver_;
  Eigen::Index generic_rank_ = 0;  // of these rows where prescribed motions are kept
};

/// \returns the name of the first cut joint, or coupling where there is none.
std::string_view name_of_first_row(const Mechanism& mechanism);

/// \returns groups for a SemidefiniteSolver: the linear rows of every cut joint, its angular ones, every coupling.
std::vector<std::size_t> rows_of_one_unit(const Mechanism& mechanism);

}  // namespace mbdbench
