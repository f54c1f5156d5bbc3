#pragma once
/// \file
/// hdca and dca with one body a leaf, in lanes: the papers' algorithm (leaf=body) for open chains of revolute joints.
#include <memory>

#include "formulations/execution/execution.hpp"
#include "formulations/formulation_part.hpp"

namespace mbdbench {

/// \returns bodies as leaves in lanes, or null where they are asked to go on the general path or the mechanism needs
/// it: anything but open chains of revolute joints. \throws ModelError where threads are asked for and cannot be used
std::unique_ptr<Formulation> make_binary_formulation(const Mechanism& mechanism, StateKind rate_kind,
                                                     const Parameters& options, const Execution& execution);

/// One process's part of hdca or dca, with bodies as leaves. \throws ModelError where so many processes cannot
/// share the mechanism with these options
std::unique_ptr<FormulationPart> make_chain_part(const Mechanism& mechanism, StateKind rate_kind,
                                                 const Parameters& options, const Execution& execution);

}  // namespace mbdbench
