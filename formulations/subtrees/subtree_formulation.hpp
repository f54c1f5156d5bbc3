#pragma once
/// \file
/// The formulations `dca` and `hdca` with sub-trees of equal form as leaves (option leaf=subtree).
#include <memory>

#include "formulations/execution/execution.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench {

/// In accelerations (state q, u) or momenta (q, p), with the threads and instruction set of `execution`.
/// \throws ModelError where sub-trees cannot treat the mechanism
std::unique_ptr<Formulation> make_subtree_formulation(const Mechanism& mechanism, StateKind rate_kind,
                                                      const Parameters& options, const Execution& execution);

}  // namespace mbdbench
