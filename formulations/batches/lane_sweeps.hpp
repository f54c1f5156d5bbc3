#pragma once
/// \file
/// The sweeps over many states of a tree for one width of registers, a state a lane.
///
/// Compiled once an instruction set (lane_sweeps_*.cpp). Every function here is inlined or has the pack's type in its
/// name: one that stood on its own could be taken by the linker from a file for another processor.
#include "formulations/batches/lane_accelerations.hpp"
#include "formulations/batches/lane_momenta.hpp"
#include "formulations/kernels/directed.hpp"

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

template <int W>
MBDBENCH_KERNEL void set_directions(const LaneData& data, const double* x, int first) {
  using T = Directed<W>;
  T* const state = packs<T>(data.state);
  T* const torques = packs<T>(data.torques);
  for (int i = 0; i < data.q_count + data.u_count; ++i) {
    double slope[W] = {};
    if (i >= first && i < first + W) {
      slope[i - first] = 1.0;
    }
    __builtin_memcpy(&state[i].slope, slope, sizeof slope);
    state[i].value = x[i];
  }
  for (int k = 0; k < data.u_count; ++k) {
    torques[k] = T(0.0);
  }
}

template <int W>
MBDBENCH_KERNEL bool take_directions(const LaneData& data, double* rows, int first) {
  using T = Directed<W>;
  const int size = data.q_count + data.u_count;
  const int count = first + W < size ? W : size - first;
  const T* const rates = packs<T>(data.rates);
  for (int i = 0; i < size; ++i) {
    double slope[W];
    __builtin_memcpy(slope, &rates[i].slope, sizeof slope);
    double* const row = rows + static_cast<long>(i) * size + first;
    for (int k = 0; k < count; ++k) {
      row[k] = slope[k];
    }
  }
  const T& verdict = *packs<T>(data.verdict);
  double lanes[W];
  __builtin_memcpy(lanes, &verdict.slope, sizeof lanes);
  double sum = 0.0;
  for (const double lane : lanes) {
    sum += lane * 0.0;
  }
  return verdict.value + sum > 0.0;
}

template <int W>
DirectionSweeps direction_sweeps() {
  using T = Directed<W>;
  DirectionSweeps result;
  result.directions = W;
  result.width = static_cast<int>(sizeof(T) / sizeof(double));
  result.set_state = [](const LaneData& data, const double* x, int first) { set_directions<W>(data, x, first); };
  result.accelerations = [](const LaneData& data) { AccelerationSweeps<T>::run(data); };
  result.momenta = [](const LaneData& data) { MomentumSweeps<T>::run(data); };
  result.take = [](const LaneData& data, double* rows, int first) { return take_directions<W>(data, rows, first); };
  return result;
}

}  // namespace mbdbench::lane_sweeps
