// The steps of a node in registers of 8 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/assembly/nodes/node_steps.hpp"

namespace mbdbench {

NodeSteps avx512_node_steps() {
  return node_kernels::steps<8>();
}

}  // namespace mbdbench
