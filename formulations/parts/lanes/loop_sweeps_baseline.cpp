// The sweeps over many states with loops in registers of 2 doubles; cmake/kernels.cmake gives this file its
// instruction set.
#include "formulations/parts/lanes/loop_sweeps.hpp"

namespace mbdbench {

LoopSweeps baseline_loop_sweeps() {
  return loop_sweeps::sweeps<2>();
}

}  // namespace mbdbench
