#pragma once
/// \file
/// The formulation whose state is (q, p), canonical momenta of the joints, and whose u and p' come from one recursion
/// over the whole mechanism: what `naudet` on trees and, with one part, `hdca` have in common.
#include <memory>

#include "formulations/execution/execution.hpp"
#include "formulations/formulation.hpp"
#include "formulations/lanes/lane_solver.hpp"
#include "formulations/options/gauge_option.hpp"

namespace mbdbench {

/// How it is set up. All but link_frames concerns loops only.
struct RecursiveMomentumSettings {
  GaugeControl gauge = GaugeControl::none;
  double leak = 0.0;                ///< kappa, 1/s
  double reset_interval = 0.0;      ///< s
  double feedback = 0.0;            ///< beta, 1/s
  bool link_frames = true;          ///< trees; false: in world axes, on one thread
  Execution execution = {};         ///< of the branches of the tree
  int section_bodies = 0;           ///< in link frames: about how many bodies a section shall have; 0: no sections
  LaneSolverMaker make_lanes = {};  ///< right-hand sides in lanes, in the same gauge; everything else as without
};

std::unique_ptr<Formulation> make_recursive_momenta(const Mechanism& mechanism,
                                                    const RecursiveMomentumSettings& settings);

}  // namespace mbdbench
