#pragma once
/// \file
/// The formulations `dca` and `hdca` with sub-chains as leaves (option leaf=subchain).
#include <memory>

#include "formulations/execution/execution.hpp"
#include "formulations/formulation_part.hpp"
#include "formulations/subchains/chains/chain_plan.hpp"

namespace mbdbench {

/// \returns the plan of chains that so many processes share. \throws ModelError where they cannot
ChainPlan divisible_plan(const Mechanism& mechanism, int subchains, int processes);

/// The formulation in accelerations (state q, u) or momenta (q, p), executed as `execution` says; its processes share
/// right-hand sides where there are enough blocks. \throws ModelError where sub-chains cannot treat the mechanism
std::unique_ptr<Formulation> make_subchain_formulation(const Mechanism& mechanism, StateKind rate_kind,
                                                       const Parameters& options, const Execution& execution);

/// One process's part of it. \throws ModelError where sub-chains cannot treat the mechanism or so many processes cannot
/// share it
std::unique_ptr<FormulationPart> make_subchain_part(const Mechanism& mechanism, StateKind rate_kind,
                                                    const Parameters& options, const Execution& execution);

}  // namespace mbdbench
