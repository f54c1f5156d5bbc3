#pragma once
/// \file
/// The part of one of several ranks of a formulation with sub-chains as leaves: its blocks and its slice of the state.
#include <memory>

#include "formulations/formulation_part.hpp"
#include "formulations/rank_exchange.hpp"
#include "formulations/subchains/chain_plan.hpp"

namespace mbdbench {

/// \param leak kappa, 1/s (momenta) \param plan one that has a block for every rank
std::unique_ptr<FormulationPart> make_subchain_part(const Mechanism& mechanism, StateKind rate_kind, double leak,
                                                    ChainPlan plan, RankExchange& ranks);

}  // namespace mbdbench
