// The sweeps over many states in registers of 2 doubles; cmake/kernels.cmake gives this file its instruction set.
#include "formulations/batches/lane_sweeps.hpp"

namespace mbdbench {

LaneSweeps baseline_lane_sweeps() {
  return lane_sweeps::sweeps<2>();
}

}  // namespace mbdbench
