#pragma once
/// \file
/// The cut joints' rows of the constraints, carried inward over the tree: Phi M^-1 Phi^T without a mass matrix
/// [Malczyk2008, section 2], [Bae1988].
///
/// Every cut joint loads its two bodies with D lambda and -D lambda. Each row of Phi is such a pair of unit wrenches;
/// its articulated wrench Y_k on body k, about O_k, is the paper's PhiM_k transposed:
///
///   PhiM_j^T += S (I - gain_k H_k^T) PhiM_k^T,   A = -PhiL = sum_k (H_k^T Y_k)^T pivot_k^-1 (H_k^T Y_k)
///
/// Cost: O(n m_path + sum m_path^2) with m_path rows on the way of a link to the ground, then O(m^3).
#include <Eigen/Core>
#include <vector>

#include "formulations/recursion/articulated_tree.hpp"
#include "formulations/recursion/semidefinite_solver.hpp"

namespace mbdbench {

/// Baumgarte's constants: Phi'' + 2 alpha Phi' + beta^2 Phi = 0 [Malczyk2008, Eq. (6)]. Zero: no stabilisation. 1/s.
struct BaumgarteConstants {
  double alpha = 0.0;
  double beta = 0.0;
};

/// Workspace of all cut rows of one mechanism. Allocates nothing after construction.
class CutRows {
 public:
  CutRows(const Mechanism& mechanism, BaumgarteConstants baumgarte);

  [[nodiscard]] bool empty() const { return multipliers_.size() == 0; }
  /// The matrix A and its decomposition, after tree.set_positions. \returns a status that names a joint when the rows
  /// are not finite
  RhsStatus set_positions(const ArticulatedTree& tree);
  /// Solves for lambda and adds what it does to the tree's free accelerations; between tree.sweep_loads and
  /// tree.sweep_accelerations.
  void close_accelerations(ArticulatedTree& tree);
  /// The same for sigma and velocities that keep the cut joints closed; between tree.sweep_momenta and
  /// tree.sweep_velocities.
  void close_velocities(ArticulatedTree& tree);
  /// Leaves out the rows that are not active: their multipliers are zero. Before set_positions; allocates nothing.
  /// \param active one entry a row
  void set_active(const std::vector<bool>& active) { active_ = active; }
  /// \returns what the multipliers do to link k about O_k, articulated: Y_k lambda.
  [[nodiscard]] Vec6 impulse(int k) const;
  /// \returns D lambda of cut joint c on its body b.
  [[nodiscard]] Vec6 wrench(const ArticulatedTree& tree, int c) const;
  /// \returns lambda or sigma of all rows.
  [[nodiscard]] const Eigen::VectorXd& multipliers() const { return multipliers_; }
  /// \returns the numerical rank of A.
  [[nodiscard]] Eigen::Index rank() const { return solver_.rank(); }

 private:
  struct Link {
    std::vector<Eigen::Index> rows;                     // rows of Phi with an end at this link or outboard of it
    std::vector<std::size_t> in_parent;                 // where each of them is among the parent's rows
    Eigen::Matrix<double, 6, Eigen::Dynamic> wrenches;  // Y_k
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, Eigen::Dynamic> along;  // H_k^T Y_k
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, Eigen::Dynamic> rates;  // pivot^-1 of it
  };

  void add_end(const ArticulatedTree& tree, const Joint& joint, const JointKinematics& state, double sign);
  /// Y_k, its share of A, and what it carries to the inboard body.
  void reduce(const ArticulatedTree& tree, int k);
  /// \returns the square of a row's unit wrench about O_k as if no joint were in between.
  [[nodiscard]] double unreduced_square(const ArticulatedTree& tree, int k, Eigen::Index row) const;
  void set_acceleration_right_side(const ArticulatedTree& tree);

  void close(ArticulatedTree& tree);

  const Mechanism* mechanism_;
  BaumgarteConstants baumgarte_;
  std::vector<Link> links_;
  std::vector<int> cut_of_row_;
  Eigen::MatrixXd a_;
  Eigen::VectorXd smallest_diagonal_;
  Eigen::VectorXd multipliers_;
  std::vector<bool> active_;
  std::vector<double> residual_;
  SemidefiniteSolver solver_;
  Eigen::Index generic_rank_ = 0;  // of these rows where prescribed motions are kept
};

/// \returns groups for a SemidefiniteSolver: the linear rows of every cut joint and its angular ones.
std::vector<std::size_t> rows_of_one_unit(const Mechanism& mechanism);

}  // namespace mbdbench
