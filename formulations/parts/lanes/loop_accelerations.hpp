#pragma once
/// \file
/// Accelerations of many states of a mechanism with loops, a lane a state: ClosedAccelerations with packs of numbers,
/// and with the states of ClosedNaudet that have velocities of all joints.
#include "formulations/parts/lanes/cut_coordinate_lanes.hpp"
#include "formulations/parts/lanes/cut_right_sides.hpp"
#include "formulations/parts/lanes/load_lanes.hpp"
#include "formulations/parts/lanes/loop_states.hpp"

namespace mbdbench::loop_sweeps {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

template <int W>
struct AccelerationStates : LoopStates<W> {
  using States = LoopStates<W>;
  using States::clear;
  using States::clear_wrenches;
  using States::close_positions;
  using States::coupling_rate;
  using States::coupling_residual;
  using States::drive;
  using States::part_with;
  using States::prescribed_rate;
  using States::seen;
  using States::solve;
  using typename States::Part;
  using typename States::Side;
  using typename States::Sweeps;
  using typename States::T;

  static MBDBENCH_KERNEL void set_poses(const LoopData& data) {
    LaneVerdict<T> verdict;
    const LaneData& tree = data.tree;
    if (data.all_joints) {
      take_all_joints(data);
    }
    lane_sweeps::set_positions(tree, verdict);
    T* const u = packs<T>(tree.velocities);
    for (int k = 0; k < tree.u_count; ++k) {
      u[k] = packs<T>(tree.state)[tree.q_count + k];
    }
    loop_sweeps::set_poses<T>(data, in_packs<Part>(data.part), u);
    seen(data) = verdict;
  }

  static MBDBENCH_KERNEL void set_velocities(const LoopData& data) {
    LaneVerdict<T> verdict = seen(data);
    const Part part = part_with(data, verdict);
    close_positions(data, part, verdict);
    if (data.projects) {
      project(data, part, packs<T>(data.tree.velocities));
    }
    seen(data) = verdict;
  }

  static MBDBENCH_KERNEL void set_rates(const LoopData& data) {
    LaneVerdict<T> verdict = seen(data);
    const Part part = part_with(data, verdict);
    const LaneData& tree = data.tree;
    const T* const u = packs<T>(tree.velocities);
    const Side side = accelerate(data, part, u);
    lane_sweeps::set_coordinate_rates(tree, u);
    if (data.all_joints) {
      give_all_joints(data, side, verdict);
    }
    States::judge(tree, verdict);
  }

  /// q and u of the tree's joints.
  static MBDBENCH_KERNEL void take_all_joints(const LoopData& data) {
    const LaneData& tree = data.tree;
    const T* const from = packs<T>(data.outside.state);
    T* const state = packs<T>(tree.state);
    for (int k = 0; k < tree.q_count; ++k) {
      state[k] = from[k];
    }
    for (int k = 0; k < tree.u_count; ++k) {
      state[tree.q_count + k] = from[data.rates_at + k];
    }
  }

  /// Rates of all joints: those of coordinates of cut joints by the velocities that the state has of them.
  static MBDBENCH_KERNEL void give_all_joints(const LoopData& data, const Side& side, LaneVerdict<T>& verdict) {
    const LaneData& tree = data.tree;
    const T* const rates = packs<T>(tree.rates);
    const T* const from = packs<T>(data.outside.state);
    T* const to = packs<T>(data.outside.rates);
    for (int k = 0; k < tree.q_count; ++k) {
      to[k] = rates[k];
    }
    for (int k = 0; k < tree.u_count; ++k) {
      to[data.rates_at + k] = rates[tree.q_count + k];
    }
    for (int c = 0; c < data.cut_count; ++c) {
      const LaneCutCoordinates& own = data.cut_coordinates[c];
      set_cut_coordinate_rates(data, c, from + own.place, from + own.rate_place, to + own.place);
      const CutRates<T> accelerations = cut_accelerations(data, side, c);
      for (int i = 0; i < own.count; ++i) {
        to[own.rate_place + i] = accelerations.along[i];
        verdict.see(accelerations.along[i]);
      }
    }
    for (int k = tree.q_count; k < data.rates_at; ++k) {
      verdict.see(to[k]);
    }
  }

  static MBDBENCH_KERNEL void project(const LoopData& data, const Part& part, T* u) {
    Side side = in_packs<Side>(data.impulses);
    for (int c = 0; c < data.cut_count; ++c) {
      want_rest(data, c, part.loop_rows[c], side.wanted + static_cast<long>(c) * kLoopLanes);
    }
    side.driven = drive(data, data.motion_velocities);
    for (int m = 0; m < data.motion_count; ++m) {  // what the state's velocities lack of them
      packs<T>(data.driven)[m] -= u[data.motion_components[m]];
    }
    for (int loop = data.cut_count; loop < data.loop_count; ++loop) {
      side.wanted[static_cast<long>(loop) * kLoopLanes] = -coupling_rate(data, loop, u) - prescribed_rate(data, loop);
    }
    side.joint_rates = packs<T>(data.changes);
    clear_wrenches(side, data.loaded_rows, data.loaded_row_count);
    solve(data, part, side);
    for (int k = 0; k < data.tree.u_count; ++k) {
      u[k] += side.joint_rates[k];
    }
    for (int k = 0; k < data.end_row_count; ++k) {
      const int row = data.end_rows[k];
      RowPose<T>& pose = pose_at<T>(data, row);
      pose.velocity = plus(pose.velocity, turned(pose.axes, side.linear[row]));
      pose.omega = plus(pose.omega, turned(pose.axes, side.angular[row]));
    }
  }

  static MBDBENCH_KERNEL Side accelerate(const LoopData& data, const Part& part, const T* u) {
    const LaneData& tree = data.tree;
    Side side = in_packs<Side>(data.accelerations);
    if (data.loads_apart) {
      side.tau = packs<T>(tree.torques);
      side.loads = reinterpret_cast<const LinkWrench<T>*>(tree.wrenches);  // with weights, or nullptr
    } else if (tree.force_count > 0) {
      T* const torques = packs<T>(tree.torques);
      clear(torques, tree.u_count);
      lane_sweeps::add_forces(tree, u, torques);
      side.tau = torques;
    }
    if (data.load_row_count > 0) {
      set_loads<T>(data);
      side.loads = reinterpret_cast<const LinkWrench<T>*>(data.loads);
    }
    side.driven = drive(data, data.motion_accelerations);
    Sweeps::set_velocities(part, u, reinterpret_cast<Turning<T>*>(data.turnings), side);
    for (int c = 0; c < data.cut_count; ++c) {
      want_accelerations(data, c, part.loop_rows[c], side.wanted + static_cast<long>(c) * kLoopLanes);
    }
    for (int loop = data.cut_count; loop < data.loop_count; ++loop) {
      side.wanted[static_cast<long>(loop) * kLoopLanes] = T(-2.0 * data.alpha) * coupling_rate(data, loop, u) -
                                                          T(data.beta * data.beta) * coupling_residual(data, loop) -
                                                          prescribed_rate(data, loop);
    }
    side.joint_rates = packs<T>(tree.rates) + tree.q_count;
    clear_wrenches(side, data.cleared_rows, data.cleared_row_count);
    solve(data, part, side);
    return side;
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::loop_sweeps
