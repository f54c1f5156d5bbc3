#pragma once
/// \file
/// Accelerations of a mechanism with cut joints in link frames [Malczyk2008], [Bae1988]: the articulated-body algorithm
/// for its tree, then multipliers lambda that keep the cut joints.
///
///   PhiL lambda = gamma* - Phi_q u'_free,   u' = u'_free + M^-1 Phi_q^T lambda
///
/// Velocities are projected the same way, with the same matrix: u + M^-1 Phi_q^T sigma, PhiL sigma = -Phi_q u.
///
/// Cost: O(n + sum of the ways of the cut joints) and O(m r^2) for m rows of rank r.
#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "formulations/closed_links/link_columns.hpp"
#include "formulations/formulation.hpp"
#include "formulations/recursion/cut_end.hpp"
#include "formulations/recursion/semidefinite_solver.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace mbdbench {

/// Workspace of one mechanism that `refuse_closed_links` lets pass. Allocates nothing after construction.
class ClosedLinks {
 public:
  ClosedLinks(const Mechanism& mechanism, BaumgarteConstants baumgarte, bool projects);

  /// \param u receives the velocities in use: projected ones, or those of the state
  /// \param accelerations receives u' \returns which joint stops it
  RhsStatus evaluate(double t, std::span<const double> q, std::span<const double> state_velocities, std::span<double> u,
                     std::span<double> accelerations);

 private:
  RhsStatus set_positions(std::span<const double> q);
  void project_velocities(std::span<double> u);
  /// multipliers_ from free rates to multipliers, and what they do to u.
  void close(std::span<double> rates);
  void set_right_side();
  [[nodiscard]] RhsStatus finite(std::span<const double> accelerations) const;

  const Mechanism* mechanism_;
  BaumgarteConstants baumgarte_;
  bool projects_;
  LinkElimination links_;
  LinkColumns columns_;
  LinkPoses poses_;
  LoadEvaluator loads_;
  std::vector<JointKinematics> cuts_;
  Eigen::MatrixXd a_;
  Eigen::VectorXd smallest_;
  Eigen::VectorXd multipliers_;
  std::vector<double> change_;  // of u
  SemidefiniteSolver solver_;
  Eigen::Index generic_rank_;
};

/// \returns why a mechanism takes the way of BodyRecursion and CutRows; empty if it need not.
std::string refuse_closed_links(const Mechanism& mechanism);

}  // namespace mbdbench
