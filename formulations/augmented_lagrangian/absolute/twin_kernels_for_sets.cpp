// Kinematics of twins in absolute coordinates, compiled once for every instruction set (cmake/kernels.cmake).
#include "formulations/augmented_lagrangian/absolute/twin_kernels.hpp"

namespace mbdbench::twin_kernels {

template TwinBodySweeps sweeps<MBDBENCH_LANES>();

}  // namespace mbdbench::twin_kernels
