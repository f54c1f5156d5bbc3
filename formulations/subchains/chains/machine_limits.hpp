#pragma once
/// \file
/// What one core of this machine can do at most, measured: the roofs of a roofline.
#include "formulations/execution/instruction_set.hpp"

namespace mbdbench {

/// Of one core, with the kernels of an instruction set, and between two.
struct MachineLimits {
  double operations = 0.0;  ///< multiplications and additions in registers, 1/s
  double bandwidth = 0.0;   ///< between memory and core: a sum of two long arrays into a third, B/s
  double latency = 0.0;     ///< of a meeting of two threads, s; infinite where only one can run
};

/// Takes some 0.1 s. \returns the largest of several measurements, what a disturbed machine shows least of
MachineLimits measure_machine_limits(const InstructionSet& set);

}  // namespace mbdbench
