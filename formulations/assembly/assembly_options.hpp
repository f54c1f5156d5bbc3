#pragma once
/// \file
/// What every formulation on the assembly engine offers and refuses.
#include <span>
#include <string>
#include <vector>

#include "formulations/assembly/assembly_tree.hpp"
#include "formulations/assembly/nodes/proximal.hpp"
#include "mechanisms/model/description/parameters.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// \returns the option that all divide-and-conquer formulations share: `ground` = root or leaf.
ParameterSpecification ground_closure_option();

/// \returns the chosen closure.
GroundClosure ground_closure(const Parameters& options);

/// \returns the options that say how loops are closed: `loops` = rank or proximal, and `regularisation`.
ParameterSpecification loops_option();
ParameterSpecification regularisation_option();

/// \returns what was chosen by them.
ProximalOptions proximal_options(const Parameters& options);

/// \returns all joints with their constrained directions, prescribed motions included: tree joints, then cut joints.
std::vector<AssemblyJoint> assembly_joints(const Mechanism& mechanism);

/// \returns kg, of all bodies.
std::vector<double> body_masses(const Mechanism& mechanism);

/// \returns why a mechanism is refused: so many loops through one body, or so densely meshed, that its assembly would
///          not fit in memory; empty for all others.
std::string refuse_for_assembly(const Mechanism& mechanism);

}  // namespace mbdbench
