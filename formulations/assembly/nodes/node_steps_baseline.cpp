// The steps of a node in registers of 2 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/assembly/nodes/node_steps.hpp"

namespace mbdbench {

NodeSteps baseline_node_steps() {
  return node_kernels::steps<2>();
}

}  // namespace mbdbench
