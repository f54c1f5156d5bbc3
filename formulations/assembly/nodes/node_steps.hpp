#pragma once
/// \file
/// All steps of a node for one kind of registers: compiled once an instruction set (node_steps_for_sets.cpp).
#include "formulations/assembly/nodes/loop_kernels.hpp"

namespace mbdbench::node_kernels {

/// \tparam W doubles a register
template <int W>
NodeSteps steps() {
  using T = Pack<kHandle, W>;
  return {fill<T>,         gather<T>,    close<T>,   close_loops<T>,     project<T>,
          gather_right<T>, eliminate<T>, recover<T>, add_multipliers<T>, subtract_rates<T>};
}

}  // namespace mbdbench::node_kernels
