#pragma once
/// \file
/// The part of one of several processes of a formulation in lanes: its blocks of links and its slice of the state.
#include <memory>

#include "formulations/formulation_part.hpp"
#include "formulations/lanes/lane_solver.hpp"
#include "formulations/subchains/chains/chain_plan.hpp"

namespace mbdbench {

/// \param plan of the solver \param held positions of the process \param solver of these alone, with its vectors by
/// position
std::unique_ptr<FormulationPart> make_lane_part(const Mechanism& mechanism, StateKind rate_kind, const ChainPlan& plan,
                                                const ChainRange& held, std::unique_ptr<LaneSolver> solver);

}  // namespace mbdbench
