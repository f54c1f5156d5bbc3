#pragma once
/// \file
/// The formulation whose state is (q, u) and whose u' comes from one recursion over the whole mechanism: what `aba`,
/// `bae-haug`, `naudet-acc` and, with one part, `dca` have in common.
#include <memory>

#include "formulations/execution/execution.hpp"
#include "formulations/formulation.hpp"
#include "formulations/lanes/lane_solver.hpp"
#include "formulations/recursion/cut_end.hpp"

namespace mbdbench {

/// How it is set up.
struct RecursiveAccelerationSettings {
  BaumgarteConstants baumgarte;     ///< of cut joints and couplings
  bool projects = false;            ///< velocities are projected on the constraints before anything else
  bool link_frames = true;          ///< false: in world axes, loops closed at the ground, on one thread
  Execution execution = {};         ///< of the branches of the tree
  int section_bodies = 0;           ///< in link frames: about how many bodies a section shall have; 0: as pays off
  LaneSolverMaker make_lanes = {};  ///< right-hand sides in lanes, projected alike; everything else as without
  bool may_repeat = true;           ///< whether sections of equal form may go side by side (kSectionsInLanes)
};

std::unique_ptr<Formulation> make_recursive_accelerations(const Mechanism& mechanism,
                                                          const RecursiveAccelerationSettings& settings);

}  // namespace mbdbench
