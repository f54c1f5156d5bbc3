// The sweeps in registers of 8 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/augmented_lagrangian/dual/dual_sweeps.hpp"

namespace mbdbench {

DualSweeps avx512_dual_sweeps() {
  return dual_sweeps::sweeps<8>();
}

}  // namespace mbdbench
