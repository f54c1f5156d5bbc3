// The passes over a linearised tree, compiled once for every instruction set (cmake/kernels.cmake).
#include "formulations/derivatives/linear_sweeps.hpp"

namespace mbdbench::linear {

template LinearSweeps sweeps<MBDBENCH_LANES>();

}  // namespace mbdbench::linear
