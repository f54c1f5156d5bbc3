#pragma once
/// \file
/// The formulation of Bae and Haug for one loop on two ranks, one sub-chain each [Malczyk2008, section 3].
#include <memory>
#include <string>

#include "formulations/formulation.hpp"
#include "formulations/rank_exchange.hpp"
#include "formulations/recursion/cut_rows.hpp"

namespace mbdbench {

/// State (q, u) of the whole mechanism on both ranks: each evaluates its own sub-chain and receives the other one's
/// accelerations, so that both integrate the same numbers and decide alike. `rhs` is then a call that both ranks make
/// together. The result is bit for bit that of one process that evaluates both sub-chains.
///
/// Reactions are not made here: `reactions` says so in its status.
/// \param ranks two; must outlive the formulation; nullptr: this process evaluates both sub-chains, one after the other
/// \throws ModelError for a mechanism that refuse_split refuses
std::unique_ptr<Formulation> make_split_bae_haug(const Mechanism& mechanism, BaumgarteConstants baumgarte,
                                                 RankExchange* ranks);

}  // namespace mbdbench
