#pragma once
/// \file
/// What every formulation on the assembly engine offers and refuses.
#include <span>
#include <string>

#include "formulations/assembly/assembly_tree.hpp"
#include "mechanisms/model/mechanism.hpp"
#include "mechanisms/model/parameters.hpp"

namespace mbdbench {

/// \returns the options of divide-and-conquer formulations: `ground` = root or leaf.
std::span<const ParameterSpecification> ground_closure_options();

/// \returns the chosen closure.
GroundClosure ground_closure(const Parameters& options);

/// \returns why a mechanism with cut joints is refused; empty for trees.
std::string refuse_cut_joints(const Mechanism& mechanism);

}  // namespace mbdbench
