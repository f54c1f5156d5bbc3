#pragma once
/// \file
/// The part of one of several ranks of a formulation with sub-chains as leaves: its blocks and its slice of the state.
#include <memory>

#include "formulations/formulation_part.hpp"
#include "formulations/rank_exchange.hpp"
#include "formulations/subchains/chain_plan.hpp"

namespace mbdbench {

/// How sub-chains are made and run.
struct SubchainSettings {
  int subchains = 0;  ///< 0: chosen from the numbers of links
  int threads = 1;
  double leak = 0.0;  ///< kappa, 1/s (momenta)
};

/// \param plan one that has a block for every rank
std::unique_ptr<FormulationPart> make_subchain_part(const Mechanism& mechanism, StateKind rate_kind,
                                                    const SubchainSettings& settings, ChainPlan plan,
                                                    RankExchange& ranks);

}  // namespace mbdbench
