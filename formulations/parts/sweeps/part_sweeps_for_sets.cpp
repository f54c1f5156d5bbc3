// The sweeps over a part, compiled once for every instruction set (cmake/kernels.cmake).
#include "formulations/parts/sweeps/part_sweeps.hpp"

namespace mbdbench::part_sweeps {

template PartSweeps sweeps<MBDBENCH_LANES>();

}  // namespace mbdbench::part_sweeps
