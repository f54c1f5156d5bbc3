// The sweeps over a part in registers of 4 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/parts/sweeps/part_sweeps.hpp"

namespace mbdbench {

PartSweeps avx2_part_sweeps() {
  return part_sweeps::sweeps<4>();
}

}  // namespace mbdbench
