// The sweeps in registers of 4 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/binary_tree/binary_sweeps.hpp"

namespace mbdbench {

BinarySweeps avx2_binary_sweeps() {
  return binary_sweeps::sweeps<4>();
}

}  // namespace mbdbench
