// The sweeps in registers of 8 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/binary_tree/binary_sweeps.hpp"

namespace mbdbench {

BinarySweeps avx512_binary_sweeps() {
  return binary_sweeps::sweeps<8>();
}

}  // namespace mbdbench
