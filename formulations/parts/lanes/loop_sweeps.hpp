#pragma once
/// \file
/// The sweeps over many states with loops for one width of registers. Compiled once an instruction set
/// (loop_sweeps_for_sets.cpp).
#include "formulations/parts/lanes/loop_accelerations.hpp"
#include "formulations/parts/lanes/loop_momenta.hpp"

namespace mbdbench::loop_sweeps {

/// \tparam W doubles a register, and lanes
template <int W>
LoopSweeps sweeps() {
  using Own = LoopStates<W>;
  LoopSweeps result;
  result.lanes = W;
  result.joint_size = sizeof(PassedJoint<typename Own::T>);
  result.prepare = [](const LoopData& data, const PassedJoint<double>* joints, int count) {
    Own::prepare(data, joints, count);
  };
  result.gather = [](const LaneData& data, const double* const* states) { lane_sweeps::gather<W>(data, states); };
  result.scatter = [](const LaneData& data, double* const* rates) { lane_sweeps::scatter<W>(data, rates); };
  using Accelerations = AccelerationStates<W>;
  using Momenta = MomentumStates<W>;
  result.accelerations = {[](const LoopData& data) { Accelerations::set_poses(data); },
                          [](const LoopData& data) { Accelerations::set_velocities(data); },
                          [](const LoopData& data) { Accelerations::set_rates(data); }};
  result.momenta = {[](const LoopData& data) { Momenta::set_poses(data); },
                    [](const LoopData& data) { Momenta::set_velocities(data); },
                    [](const LoopData& data) { Momenta::set_rates(data); }};
  return result;
}

}  // namespace mbdbench::loop_sweeps
