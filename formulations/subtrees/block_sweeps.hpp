#pragma once
/// \file
/// The sweeps of tree_sweeps.hpp: compiled once an instruction set (tree_sweeps_for_sets.cpp), and by one for the
/// trunk, which has one lane. Inlined or named by the width for the reason that lane_sweeps.hpp has.
#include <cstddef>

#include "formulations/batches/lane_sweeps.hpp"
#include "formulations/kernels/chains/turns.hpp"
#include "formulations/subtrees/tree_sweeps.hpp"

namespace mbdbench::tree_sweeps {

/// \tparam T numbers of states and constants
template <typename T>
struct BlockSweeps {
  using States = lane_sweeps::StateSweeps<T, T>;
  using Verdict = lane_sweeps::LaneVerdict<T>;
  using Accelerations = AccelerationSweeps<T, T>;
  using Momenta = MomentumSweeps<T, T>;

  static MBDBENCH_KERNEL T* packs(double* memory) { return lane_sweeps::packs<T>(memory); }
  static MBDBENCH_KERNEL const LinkRun* last(const LaneData& data) { return data.runs + data.run_count; }
  static MBDBENCH_KERNEL const T* rates_of_state(const LaneData& data) { return packs(data.state) + data.q_count; }
  static MBDBENCH_KERNEL T* rates(const LaneData& data) { return packs(data.rates) + data.q_count; }

  static bool set_positions(const LaneData& data) {
    Verdict verdict;
    lane_sweeps::set_positions<T, T>(data, verdict);
    return kernels::smallest_lane(verdict.result()) > 0.0;
  }

  static void velocities(const LaneData& data) {
    Accelerations::velocities(States::acceleration_data(data), data.runs, last(data), rates_of_state(data),
                              data.motions);
  }
  static void clear_accelerations(const LaneData& data) {
    Accelerations::clear_slots(States::acceleration_data(data), 0, data.slot_count);
  }
  static double accelerations_inward(const LaneData& data) {
    Verdict verdict;
    Accelerations::inward(States::acceleration_data(data), data.runs, last(data), packs(data.torques), verdict);
    return kernels::smallest_lane(verdict.result());
  }
  static void accelerations_outward(const LaneData& data) {
    Verdict verdict;
    Accelerations::outward(States::acceleration_data(data), data.runs, last(data), data.weight, rates(data), verdict);
  }

  static void nothing_to_prepare(const LaneData& /*data*/) {}
  static void clear_momenta(const LaneData& data) {
    Momenta::clear_slots(States::momentum_data(data), 0, data.slot_count);
  }
  static double momenta_inward(const LaneData& data) {
    Verdict verdict;
    Momenta::inward(States::momentum_data(data), data.runs, last(data), rates_of_state(data), data.motions, verdict);
    return kernels::smallest_lane(verdict.result());
  }
  static void momenta_outward(const LaneData& data) {
    Verdict verdict;
    Momenta::outward(States::momentum_data(data), data.runs, last(data), rates_of_state(data), data.weight,
                     packs(data.velocities), rates(data), verdict);
  }
};

/// \returns where a member of a slot lies, in numbers.
template <typename Member>
MBDBENCH_KERNEL KindSweeps::Numbers numbers_at(std::size_t bytes) {
  return {bytes / sizeof(double), (bytes + sizeof(Member)) / sizeof(double)};
}

/// \returns the sweeps for numbers T.
template <typename T>
TreeSweeps sweeps() {
  using Own = BlockSweeps<T>;
  using Vector = kernels::LinkVector<double>;
  using OfAccelerations = AccelerationSlot<double>;
  using OfMomenta = MomentumSlot<double>;
  TreeSweeps result;
  result.lanes = kernels::Lanes<T>::kCount;
  result.set_positions = Own::set_positions;
  result.accelerations = {Own::velocities,
                          Own::clear_accelerations,
                          Own::accelerations_inward,
                          Own::accelerations_outward,
                          numbers_at<kernels::Turning<double>>(offsetof(OfAccelerations, turning)),
                          numbers_at<CarriedAcceleration<double>>(offsetof(OfAccelerations, carried)),
                          numbers_at<Vector[2]>(offsetof(OfAccelerations, linear))};
  result.momenta = {Own::nothing_to_prepare,
                    Own::clear_momenta,
                    Own::momenta_inward,
                    Own::momenta_outward,
                    {},
                    numbers_at<kernels::CarriedMomentum<double>>(offsetof(OfMomenta, carried)),
                    numbers_at<kernels::CarriedVelocity<double>>(offsetof(OfMomenta, motion))};
  return result;
}

/// One register a number: where 21 numbers are carried two would not fit.
template <int W>
TreeSweeps sweeps_in_registers() {
  return sweeps<kernels::Pack<W, W>>();
}

}  // namespace mbdbench::tree_sweeps
