// The sweeps over many states in registers of 4 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/batches/lane_sweeps.hpp"

namespace mbdbench {

LaneSweeps avx2_lane_sweeps() {
  return lane_sweeps::sweeps<4>();
}

}  // namespace mbdbench
