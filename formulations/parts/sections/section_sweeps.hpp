#pragma once
/// \file
/// Accelerations of sections of equal form, a lane a section: AccelerationStates with what leaves the sections in
/// between, both ways.
#include "formulations/parts/lanes/loop_accelerations.hpp"
#include "formulations/parts/sections/section_data.hpp"

namespace mbdbench::section_sweeps {

using namespace loop_sweeps;

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

template <int W>
struct SectionStates : AccelerationStates<W> {
  using States = LoopStates<W>;
  using States::clear_wrenches;
  using States::part_with;
  using States::seen;
  using typename States::Part;
  using typename States::Side;
  using typename States::Sweeps;
  using typename States::T;
  using typename States::WaySize;

  static MBDBENCH_KERNEL void set_ways(const SectionData& data) {
    LaneVerdict<T> verdict;
    lane_sweeps::set_positions(data.tree, verdict);
    RowPose<T>& base = pose_at<T>(data, data.part.row_count);
    base = {in_lanes<T>(kernels::Matrix3<double>{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}), no_vector<T>(),
            no_vector<T>(), no_vector<T>()};
    const LoopData& section = data;
    LoopData way = section;
    way.posed = data.on_way;
    way.kept = data.at_end;
    loop_sweeps::set_poses<T>(way, in_packs<Part>(data.part), packs<T>(data.tree.velocities));
    seen(data) = verdict;
  }

  static MBDBENCH_KERNEL void set_poses(const SectionData& data) {
    loop_sweeps::set_poses<T>(data, in_packs<Part>(data.part), packs<T>(data.tree.velocities));
  }

  static MBDBENCH_KERNEL void eliminate(const SectionData& data) {
    LaneVerdict<T> verdict = seen(data);
    const Part part = part_with(data, verdict);
    States::clear_positions(data, part);
    States::start_cuts(data, part);
    T* const seam = part.columns + static_cast<long>(6 * data.seam_columns) * kLoopLanes;
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) {
        seam[i * kLoopLanes + j] = T(i == j ? 1.0 : 0.0);
      }
    }
    States::eliminate(data, part, verdict);
    WaySize* const sizes = reinterpret_cast<WaySize*>(data.way_sizes);
    for (int k = 0; k < data.crossing_count; ++k) {
      sizes[k] = States::way_size(data, part, data.cut_count + k);
    }
    for (int k = 0; k < data.carried_count; ++k) {
      sizes[data.crossing_count + k] = States::way_size(data, part, data.loop_count + k);
    }
    seen(data) = verdict;
  }

  /// As far as the base, whose wrench nobody else receives.
  static MBDBENCH_KERNEL void solve_inward(const SectionData& data, const Part& part, const Side& side) {
    side.wrenches[part.row_count] = lane_sweeps::no_wrench<T>();
    States::solve_inward(data, part, side);
  }

  static MBDBENCH_KERNEL void push_inward(const SectionData& data) {
    LaneVerdict<T> verdict = seen(data);
    const Part part = part_with(data, verdict);
    const Side side = in_packs<Side>(data.impulses);
    for (int c = 0; c < data.cut_count; ++c) {
      want_rest(data, c, part.loop_rows[c], side.wanted + static_cast<long>(c) * kLoopLanes);
    }
    clear_wrenches(side, data.loaded_rows, data.loaded_row_count);
    solve_inward(data, part, side);
    seen(data) = verdict;
  }

  static MBDBENCH_KERNEL void push_outward(const SectionData& data) {
    Side side = in_packs<Side>(data.impulses);
    side.joint_rates = packs<T>(data.changes);
    Sweeps::outward(in_packs<Part>(data.part), side);
    T* const u = packs<T>(data.tree.velocities);
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

  static MBDBENCH_KERNEL void accelerate_inward(const SectionData& data) {
    LaneVerdict<T> verdict = seen(data);
    const Part part = part_with(data, verdict);
    Side side = in_packs<Side>(data.accelerations);
    side.weighs = true;
    side.tau = data.pushes_joints ? packs<T>(data.tree.torques) : nullptr;
    Sweeps::set_velocities(part, packs<T>(data.tree.velocities), reinterpret_cast<Turning<T>*>(data.turnings), side);
    for (int c = 0; c < data.cut_count; ++c) {
      want_accelerations(data, c, part.loop_rows[c], side.wanted + static_cast<long>(c) * kLoopLanes);
    }
    clear_wrenches(side, data.cleared_rows, data.cleared_row_count);
    solve_inward(data, part, side);
    seen(data) = verdict;
  }

  static MBDBENCH_KERNEL void accelerate_outward(const SectionData& data) {
    LaneVerdict<T> verdict = seen(data);
    Side side = in_packs<Side>(data.accelerations);
    side.joint_rates = packs<T>(data.tree.rates) + data.tree.q_count;
    Sweeps::outward(in_packs<Part>(data.part), side);
    for (int k = 0; k < data.tree.u_count; ++k) {
      verdict.see(side.joint_rates[k]);
      verdict.see(packs<T>(data.tree.velocities)[k]);
    }
    for (int k = 0; k < data.tree.q_count; ++k) {
      verdict.see(packs<T>(data.tree.state)[k]);
    }
    *packs<T>(data.tree.verdict) = verdict.result();
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

/// \tparam W doubles a register, and lanes
template <int W>
SectionSweeps sweeps() {
  using Own = SectionStates<W>;
  SectionSweeps result;
  result.loops.lanes = W;
  result.loops.joint_size = sizeof(PassedJoint<typename Own::T>);
  result.loops.prepare = [](const LoopData& data, const PassedJoint<double>* joints, int count) {
    Own::prepare(data, joints, count);
  };
  result.set_ways = [](const SectionData& data) { Own::set_ways(data); };
  result.set_poses = [](const SectionData& data) { Own::set_poses(data); };
  result.eliminate = [](const SectionData& data) { Own::eliminate(data); };
  result.push_inward = [](const SectionData& data) { Own::push_inward(data); };
  result.push_outward = [](const SectionData& data) { Own::push_outward(data); };
  result.accelerate_inward = [](const SectionData& data) { Own::accelerate_inward(data); };
  result.accelerate_outward = [](const SectionData& data) { Own::accelerate_outward(data); };
  return result;
}

}  // namespace mbdbench::section_sweeps
