#pragma once
/// \file
/// The formulations `dca` and `hdca` with sub-chains as leaves (option leaf=subchain), and the options of all leaves.
#include <memory>

#include "formulations/formulation_part.hpp"
#include "formulations/rank_exchange.hpp"
#include "formulations/subchains/chain_plan.hpp"

namespace mbdbench {

/// \returns the option `leaf` = body (the papers' assembly), subchain or subtree.
ParameterSpecification leaf_option();
/// \returns the option `subchains`: into how many a chain is divided; 0: chosen from its length.
ParameterSpecification subchains_option();
/// \returns its value. \throws ModelError where that is no multiple of 8
int subchains_in(const Parameters& options);
/// \returns the option `threads`; 0: as execution.hpp says.
ParameterSpecification threads_option();

/// \returns whether options ask for sub-chains or sub-trees. \throws ModelError if they ask for threads without
bool asks_for_lanes(const Parameters& options);

/// \returns the threads that options ask for, or those of execution.hpp.
int threads_in(const Parameters& options);

/// \returns the plan of chains that so many ranks share. \throws ModelError where they cannot
ChainPlan divisible_plan(const Mechanism& mechanism, int subchains, int ranks);

/// The formulation in accelerations (state q, u) or momenta (q, p), with the threads and instruction set of
/// execution.hpp. \throws ModelError where sub-chains cannot treat the mechanism
std::unique_ptr<Formulation> make_subchain_formulation(const Mechanism& mechanism, StateKind rate_kind,
                                                       const Parameters& options);

/// One rank's part of it. \throws ModelError where sub-chains cannot treat the mechanism or so many ranks cannot share
/// it
std::unique_ptr<FormulationPart> make_subchain_part(const Mechanism& mechanism, StateKind rate_kind,
                                                    const Parameters& options, RankExchange& ranks);

}  // namespace mbdbench
