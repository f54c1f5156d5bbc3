// The steps of a node in registers of 4 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/assembly/nodes/node_steps.hpp"

namespace mbdbench {

NodeSteps avx2_node_steps() {
  return node_kernels::steps<4>();
}

}  // namespace mbdbench
