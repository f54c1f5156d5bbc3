// The passes over a linearised mechanism with loops, compiled once for every instruction set (cmake/kernels.cmake).
#include "formulations/derivatives/loops/passes/closed_sweeps.hpp"

namespace mbdbench::linear {

template ClosedSweeps closed_sweeps<MBDBENCH_LANES>();

}  // namespace mbdbench::linear
