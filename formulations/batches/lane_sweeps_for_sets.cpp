// The sweeps over many states, compiled once for every instruction set (cmake/kernels.cmake).
#include "formulations/batches/lane_sweeps.hpp"

namespace mbdbench::lane_sweeps {

template LaneSweeps sweeps<MBDBENCH_LANES>();

}  // namespace mbdbench::lane_sweeps
