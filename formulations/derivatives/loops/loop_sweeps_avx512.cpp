// The passes over a linearised mechanism with loops in registers of 8 doubles; cmake/kernels.cmake gives this file its
// instruction set.
#include "formulations/derivatives/loops/loop_sweeps.hpp"

namespace mbdbench {

linear::LoopSweeps avx512_loop_sweeps() {
  return linear::loop_sweeps<8>();
}

}  // namespace mbdbench
