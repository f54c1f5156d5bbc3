// The sweeps over an assembly tree with regularised rows, compiled once for every instruction set
// (cmake/kernels.cmake).
#include "formulations/augmented_lagrangian/dual/dual_sweeps.hpp"

namespace mbdbench::dual_sweeps {

template DualSweeps sweeps<MBDBENCH_LANES>();

}  // namespace mbdbench::dual_sweeps
