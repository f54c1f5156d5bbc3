// The passes over a linearised tree in registers of 2 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/derivatives/linear_sweeps.hpp"

namespace mbdbench {

LinearSweeps baseline_linear_sweeps() {
  return linear::sweeps<2>();
}

}  // namespace mbdbench
