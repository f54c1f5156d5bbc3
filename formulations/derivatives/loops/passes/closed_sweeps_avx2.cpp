// The passes over a linearised mechanism with loops in registers of 4 doubles; cmake/kernels.cmake gives this file its
// instruction set.
#include "formulations/derivatives/loops/passes/closed_sweeps.hpp"

namespace mbdbench {

linear::ClosedSweeps avx2_closed_sweeps() {
  return linear::closed_sweeps<4>();
}

}  // namespace mbdbench
