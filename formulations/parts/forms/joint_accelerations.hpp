#pragma once
/// \file
/// u' of a state (q, u) by recursion in link frames, for every formulation in accelerations that stands on one part:
/// open trees by LinkAba, loops and sections by ClosedAccelerations.
#include <optional>
#include <span>

#include "formulations/parts/forms/closed_accelerations.hpp"
#include "formulations/recursion/links/link_aba.hpp"
#include "formulations/recursion/links/link_loads.hpp"

namespace mbdbench {

/// Workspace of one mechanism. Allocates nothing after construction.
class JointAccelerations {
 public:
  /// \param projects whether velocities are projected on the constraints before anything else
  /// \param execution processes and threads share the branches of the tree
  /// \param near as of LoadEvaluator
  /// \param section_bodies as of PartRecursion
  JointAccelerations(const Mechanism& mechanism, BaumgarteConstants baumgarte, bool projects,
                     const Execution& execution, const CutReferences* near, int section_bodies);

  /// \param u receives the velocities in use: projected ones, or those of the state
  /// \param accelerations receives u' \returns which joint stops it
  RhsStatus evaluate(double t, std::span<const double> q, std::span<const double> state_velocities, std::span<double> u,
                     std::span<double> accelerations);
  /// \returns the recursion over loops, nullptr where the mechanism is an open tree.
  [[nodiscard]] const ClosedAccelerations* closed() const { return closed_ ? &*closed_ : nullptr; }
  /// \returns the threads that share the branches of the tree.
  [[nodiscard]] const BranchTeam& team() const { return closed_ ? closed_->part().team() : open_->team(); }

 private:
  const Mechanism* mechanism_;
  std::optional<LinkAba> open_;
  std::optional<LinkLoads> loads_;  // with open_
  std::optional<ClosedAccelerations> closed_;
};

}  // namespace mbdbench
