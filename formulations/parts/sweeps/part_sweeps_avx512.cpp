// The sweeps over a part in registers of 8 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/parts/sweeps/part_sweeps.hpp"

namespace mbdbench {

PartSweeps avx512_part_sweeps() {
  return part_sweeps::sweeps<8>();
}

}  // namespace mbdbench
