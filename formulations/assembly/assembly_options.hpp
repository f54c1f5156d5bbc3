#pragma once
/// \file
/// What every formulation on the assembly engine offers and refuses.
#include <span>
#include <string>
#include <vector>

#include "formulations/assembly/assembly_tree.hpp"
#include "mechanisms/model/mechanism.hpp"
#include "mechanisms/model/parameters.hpp"

namespace mbdbench {

/// \returns the options of divide-and-conquer formulations: `ground` = root or leaf.
std::span<const ParameterSpecification> ground_closure_options();

/// \returns the chosen closure.
GroundClosure ground_closure(const Parameters& options);

/// \returns the tree joints with their constrained directions, prescribed motions included.
std::vector<AssemblyJoint> assembly_joints(const Mechanism& mechanism);

/// \returns why a mechanism is refused: closed loops, or a hub with so many joints that its assembly would not fit in
/// memory;
///          empty for all others.
std::string refuse_for_assembly(const Mechanism& mechanism);

}  // namespace mbdbench
