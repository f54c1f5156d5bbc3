// The sweeps in registers of 2 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/binary_tree/binary_sweeps.hpp"

namespace mbdbench {

BinarySweeps baseline_binary_sweeps() {
  return binary_sweeps::sweeps<2>();
}

}  // namespace mbdbench
