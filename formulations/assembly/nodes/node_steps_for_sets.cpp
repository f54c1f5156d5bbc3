// The steps of a node, compiled once for every instruction set (cmake/kernels.cmake).
#include "formulations/assembly/nodes/node_steps.hpp"

namespace mbdbench::node_kernels {

template NodeSteps steps<MBDBENCH_LANES>();

}  // namespace mbdbench::node_kernels
