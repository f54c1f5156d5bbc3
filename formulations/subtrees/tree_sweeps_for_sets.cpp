// The sweeps over a block of sub-trees, compiled once for every instruction set (cmake/kernels.cmake).
#include "formulations/subtrees/block_sweeps.hpp"

namespace mbdbench::tree_sweeps {

template TreeSweeps sweeps_in_registers<MBDBENCH_LANES>();

}  // namespace mbdbench::tree_sweeps
