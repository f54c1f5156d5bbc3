#pragma once
/// \file
/// The kernels of nodes that are compiled for an instruction set.
#include "formulations/assembly/nodes/node_plan.hpp"
#include "formulations/execution/instruction_set.hpp"

namespace mbdbench::node_kernels {

/// \returns the steps of nodes in registers of this set
NodeSteps steps_for(const InstructionSet& set);

}  // namespace mbdbench::node_kernels
