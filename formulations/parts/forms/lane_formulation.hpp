#pragma once
/// \file
/// A formulation in accelerations (state q, u) or momenta (q, p) whose right-hand side a LaneSolver evaluates.
#include <memory>

#include "formulations/execution/instruction_set.hpp"
#include "formulations/formulation.hpp"
#include "formulations/lanes/lane_solver.hpp"

namespace mbdbench {

/// Everything but the right-hand side is that of the recursion over one part: the same function of the state.
/// \param rules as the solver has them \param set of the kernels of derivatives and of many states
std::unique_ptr<Formulation> make_lane_formulation(const Mechanism& mechanism, StateKind rate_kind,
                                                   LaneSolverMaker make_lanes, const LoopRules& rules,
                                                   const InstructionSet& set);

}  // namespace mbdbench
