// The passes over a linearised tree in registers of 4 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/derivatives/linear_sweeps.hpp"

namespace mbdbench {

LinearSweeps avx2_linear_sweeps() {
  return linear::sweeps<4>();
}

}  // namespace mbdbench
