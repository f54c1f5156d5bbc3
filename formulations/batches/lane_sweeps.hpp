#pragma once
/// \file
/// The sweeps over many states of a tree for one width of registers, a state a lane: those of LinkAba and LinkNaudet
/// with packs of numbers. A lane never leaves early: what fails is seen at the end.
///
/// Compiled once an instruction set (lane_sweeps_for_sets.cpp). Every function here is inlined or has the pack's type
/// in its name: one that stood on its own could be taken by the linker from a file for another processor.
#include "formulations/batches/lane_positions.hpp"
#include "formulations/recursion/links/acceleration_sweeps.hpp"
#include "formulations/recursion/links/momentum_sweeps.hpp"

namespace mbdbench::lane_sweeps {

/// \tparam T a pack with a state or a tree a lane, or a number of higher precision \tparam C as of RowData
template <typename T, typename C = double>
struct StateSweeps {
  using Verdict = LaneVerdict<T>;

  template <typename Array>
  static MBDBENCH_KERNEL void point(Array*& array, double* memory) {
    array = reinterpret_cast<Array*>(memory);
  }

  template <typename Data>
  static MBDBENCH_KERNEL Data rows_of(const LaneData& data) {
    Data result;
    result.rows = data.rows;
    result.links = reinterpret_cast<const LinkConstants<C>*>(data.links);
    result.spherical = reinterpret_cast<const SphericalAxes<C>*>(data.spherical);
    result.segments = data.segments;
    result.runs = data.runs;
    result.starts = reinterpret_cast<const RunStart<C>*>(data.starts);
    point(result.cosines, data.cosines);
    point(result.sines, data.sines);
    point(result.slides, data.slides);
    point(result.rotations, data.rotations);
    point(result.levers, data.levers);
    point(result.turns, data.turns);
    point(result.spheres, data.spheres);
    point(result.slots, data.slots);
    return result;
  }

  static MBDBENCH_KERNEL AccelerationData<T, C> acceleration_data(const LaneData& data) {
    auto result = rows_of<AccelerationData<T, C>>(data);
    point(result.gains, data.general);
    return result;
  }

  static MBDBENCH_KERNEL MomentumData<T, C> momentum_data(const LaneData& data) {
    auto result = rows_of<MomentumData<T, C>>(data);
    point(result.general, data.general);
    return result;
  }

  static MBDBENCH_KERNEL void judge(const LaneData& data, Verdict& verdict) {
    for (int k = 0; k < data.q_count + data.u_count; ++k) {
      verdict.see(packs<T>(data.rates)[k]);
      verdict.see(packs<T>(data.state)[k]);
    }
    *packs<T>(data.verdict) = verdict.result();
  }

  static MBDBENCH_KERNEL void accelerations(const LaneData& data) {
    using Sweeps = AccelerationSweeps<T, C>;
    Verdict verdict;
    const auto rows = acceleration_data(data);
    const T* const u = packs<T>(data.state) + data.q_count;
    T* const torques = packs<T>(data.torques);
    const LinkRun* const last = data.runs + data.run_count;
    set_positions<T, C>(data, verdict);
    add_forces(data, u, torques);
    Sweeps::velocities(rows, data.runs, last, u, data.motions);
    if (data.wrenches != nullptr) {
      Sweeps::subtract(rows, 0, data.row_count, reinterpret_cast<const LinkWrench<T>*>(data.wrenches));
    }
    Sweeps::clear_slots(rows, 0, data.slot_count);
    Sweeps::inward(rows, data.runs, last, torques, verdict);
    Sweeps::outward(rows, data.runs, last, data.weight, packs<T>(data.rates) + data.q_count, verdict);
    set_coordinate_rates(data, u);
    judge(data, verdict);
  }

  static MBDBENCH_KERNEL void momenta(const LaneData& data) {
    using Sweeps = MomentumSweeps<T, C>;
    Verdict verdict;
    const auto rows = momentum_data(data);
    const T* const p = packs<T>(data.state) + data.q_count;
    T* const u = packs<T>(data.velocities);
    T* const rates = packs<T>(data.rates) + data.q_count;
    const LinkRun* const last = data.runs + data.run_count;
    set_positions<T, C>(data, verdict);
    Sweeps::clear_slots(rows, 0, data.slot_count);
    Sweeps::inward(rows, data.runs, last, p, data.motions, verdict);
    Sweeps::outward(rows, data.runs, last, p, data.weight, u, rates, verdict);
    add_forces(data, u, rates);
    set_coordinate_rates(data, u);
    judge(data, verdict);
  }

  /// p' += tau + E^T T* of the wrenches on all rows.
  static MBDBENCH_KERNEL void momentum_loads(const LaneData& data) {
    using Sweeps = MomentumSweeps<T, C>;
    T* const rates = packs<T>(data.rates) + data.q_count;
    for (int k = 0; k < data.u_count; ++k) {
      rates[k] += packs<T>(data.torques)[k];
    }
    if (data.wrenches != nullptr) {
      const auto rows = momentum_data(data);
      Sweeps::clear_loads(rows, 0, data.slot_count);
      Sweeps::add_loads(rows, data.runs, data.runs + data.run_count,
                        reinterpret_cast<const LinkWrench<T>*>(data.wrenches), rates);
    }
    Verdict verdict;
    for (int k = 0; k < data.u_count; ++k) {
      verdict.see(rates[k]);
    }
    *packs<T>(data.verdict) += verdict.not_finite;
  }
};

/// \tparam W doubles a register, and lanes: two registers a number would not fit where 21 numbers are carried
template <int W>
LaneSweeps sweeps() {
  using Own = StateSweeps<Pack<W, W>>;
  LaneSweeps result;
  result.lanes = W;
  result.gather = [](const LaneData& data, const double* const* states) { gather<W>(data, states); };
  result.scatter = [](const LaneData& data, double* const* rates) { scatter<W>(data, rates); };
  result.accelerations = [](const LaneData& data) { Own::accelerations(data); };
  result.momenta = [](const LaneData& data) { Own::momenta(data); };
  result.momentum_loads = [](const LaneData& data) { Own::momentum_loads(data); };
  return result;
}

}  // namespace mbdbench::lane_sweeps
