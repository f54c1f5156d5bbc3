#pragma once
/// \file
/// The sweeps over many states of a tree for one width of registers, a state a lane.
///
/// Compiled once an instruction set (lane_sweeps_*.cpp). Every function here is inlined or has the pack's type in its
/// name: one that stood on its own could be taken by the linker from a file for another processor.
#include "formulations/batches/lane_accelerations.hpp"
#include "formulations/batches/lane_momenta.hpp"

namespace mbdbench::lane_sweeps {

/// \tparam W doubles a register, and lanes: two registers a number would not fit where 21 numbers are carried
template <int W>
LaneSweeps sweeps() {
  using T = Pack<W, W>;
  LaneSweeps result;
  result.lanes = W;
  result.gather = [](const LaneData& data, const double* const* states) { gather<W>(data, states); };
  result.scatter = [](const LaneData& data, double* const* rates) { scatter<W>(data, rates); };
  result.accelerations = [](const LaneData& data) { AccelerationSweeps<T>::run(data); };
  result.momenta = [](const LaneData& data) { MomentumSweeps<T>::run(data); };
  result.momentum_loads = [](const LaneData& data) { MomentumSweeps<T>::add_loads(data); };
  return result;
}

}  // namespace mbdbench::lane_sweeps
