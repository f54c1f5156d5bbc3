// The sweeps in registers of 4 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/augmented_lagrangian/dual/dual_sweeps.hpp"

namespace mbdbench {

DualSweeps avx2_dual_sweeps() {
  return dual_sweeps::sweeps<4>();
}

}  // namespace mbdbench
