// The sweeps over a block of binary trees, compiled once for every instruction set (cmake/kernels.cmake).
#include "formulations/binary_tree/binary_sweeps.hpp"

namespace mbdbench::binary_sweeps {

template BinarySweeps sweeps<MBDBENCH_LANES>();

}  // namespace mbdbench::binary_sweeps
