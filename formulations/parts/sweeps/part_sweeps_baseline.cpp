// The sweeps over a part in registers of 2 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/parts/sweeps/part_sweeps.hpp"

namespace mbdbench {

PartSweeps baseline_part_sweeps() {
  return part_sweeps::sweeps<2>();
}

}  // namespace mbdbench
