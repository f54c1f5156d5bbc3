// The sweeps in registers of 2 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/augmented_lagrangian/dual/dual_sweeps.hpp"

namespace mbdbench {

DualSweeps baseline_dual_sweeps() {
  return dual_sweeps::sweeps<2>();
}

}  // namespace mbdbench
