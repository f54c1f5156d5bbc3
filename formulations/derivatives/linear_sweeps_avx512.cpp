// The passes over a linearised tree in registers of 8 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/derivatives/linear_sweeps.hpp"

namespace mbdbench {

LinearSweeps avx512_linear_sweeps() {
  return linear::sweeps<8>();
}

}  // namespace mbdbench
