#pragma once
/// \file
/// The part of one of several processes of the formulation of Bae and Haug: neighbouring trees at the ground, such as
/// one of the two sub-chains of a loop [Malczyk2008, section 3].
#include <memory>

#include "formulations/execution/process_exchange.hpp"
#include "formulations/formulation_part.hpp"
#include "formulations/recursion/cut_end.hpp"

namespace mbdbench {

/// State (q, u) of the process's trees. The bits are those of one process that evaluates all of them.
/// \param processes at most one a tree; must outlive the part; nullptr: all trees are here
/// \throws ModelError for a mechanism that refuse_ground_trees refuses
std::unique_ptr<FormulationPart> make_bae_haug_part(const Mechanism& mechanism, BaumgarteConstants baumgarte,
                                                    ProcessExchange* processes);

}  // namespace mbdbench
