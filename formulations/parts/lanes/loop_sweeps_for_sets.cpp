// The sweeps over many states with loops, compiled once for every instruction set (cmake/kernels.cmake).
#include "formulations/parts/lanes/loop_sweeps.hpp"

namespace mbdbench::loop_sweeps {

template LoopSweeps sweeps<MBDBENCH_LANES>();

}  // namespace mbdbench::loop_sweeps
