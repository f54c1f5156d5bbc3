// The sweeps over sections of equal form, compiled once for every instruction set (cmake/kernels.cmake).
#include "formulations/parts/sections/section_sweeps.hpp"

namespace mbdbench::section_sweeps {

template SectionSweeps sweeps<MBDBENCH_LANES>();

}  // namespace mbdbench::section_sweeps
