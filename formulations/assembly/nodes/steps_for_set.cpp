#include "formulations/assembly/nodes/steps_for_set.hpp"

namespace mbdbench::node_kernels {

NodeSteps steps_for(const InstructionSet& set) {
  return compiled_for(set, []<int W>() { return steps<W>(); });
}

}  // namespace mbdbench::node_kernels
