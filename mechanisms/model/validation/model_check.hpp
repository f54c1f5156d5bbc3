#pragma once
/// \file
/// What a user should know of a mechanism before simulating it: degrees of freedom, redundant constraints and where
/// they come from.
#include <string>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// One loop, closed by a cut joint.
struct LoopCheck {
  std::string cut_joint;
  /// Bodies of the loop in order: from the cut joint's a along the tree to its b; the ground where the loop passes it.
  std::vector<std::string> bodies;
  int rows = 0;  ///< rows of the cut joint in Phi_q
  int rank = 0;  ///< rank of these rows alone
  [[nodiscard]] int redundant() const { return rows - rank; }
};

/// Ranks of Phi_q at the initial coordinates.
struct ModelCheck {
  int bodies = 0;
  int tree_joints = 0;
  int cut_joints = 0;
  int q_size = 0;
  int u_size = 0;
  int constraint_rows = 0;  ///< of cut joints and prescribed motions
  int motion_rows = 0;
  int coupling_rows = 0;  ///< of prescribed motions
  int rank = 0;
  /// Smallest non-zero singular value of the scaled Phi_q over the largest; 1 without constraints. Small: nearly
  /// singular.
  double conditioning = 1.0;
  std::vector<LoopCheck> loops;

  /// \returns u_size - rank. At a singular position more than nearby.
  [[nodiscard]] int degrees_of_freedom() const { return u_size - rank; }
  [[nodiscard]] int redundant() const { return constraint_rows - rank; }
  /// \returns how many of the redundant rows are redundant only together: no loop has them by itself.
  [[nodiscard]] int jointly_redundant() const;
};

/// A singular value of the scaled Phi_q below kRankWhereClosed max(1, |Phi_q|) counts as zero
/// (characteristic_scales.hpp).
ModelCheck check_model(const Mechanism& mechanism);

/// \returns the check and all bodies, joints and loops as text in aligned columns, for `mbdbench inspect`.
std::string describe(const Mechanism& mechanism);

}  // namespace mbdbench
