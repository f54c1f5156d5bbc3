#pragma once
/// \file
/// The lanes of segments: what they report of themselves, and what each lane is told before the next sweep.
#include <span>

#include "formulations/subchains/chain_lanes.hpp"
#include "formulations/subchains/handle_turn.hpp"
#include "formulations/subchains/segment_closing.hpp"
#include "mechanisms/model/index_of.hpp"

namespace mbdbench {

/// Of the segments in one rank's blocks. Allocates nothing after construction.
class SegmentLanes {
 public:
  SegmentLanes(const ChainPlan& plan, const ChainLanes& lanes, const ChainSweeps& sweeps, const ChainRange& blocks)
      : plan_(&plan),
        lanes_(&lanes),
        sweeps_(&sweeps),
        first_block_(blocks.first),
        chain_(index_of(blocks.count() * ChainSweeps::kLanes)) {}

  /// \returns the nodes of a block's lanes, to be set by its sweeps.
  [[nodiscard]] kernels::ChainNode* nodes(int b) { return chain_.nodes() + place(b * ChainSweeps::kLanes); }

  /// Turn, vector carried along and lever over all lanes. \param outward the direction of the scan
  void report_scan(int s, bool outward, SegmentReport& report) const;
  /// Angular velocities (accelerations). \param reports of all segments
  void tell_rates(int s, std::span<const SegmentReport> reports, const SegmentClosing& closing) const;
  /// First moments and gravity (momenta).
  void tell_moments(int s, std::span<const SegmentReport> reports, const SegmentClosing& closing) const;
  /// What the cut joint loads the links with (momenta).
  void tell_loads(int s, std::span<const SegmentReport> reports, const SegmentClosing& closing) const;
  /// Closes the handles between the lanes: the report's node and tip.
  void close(int s, SegmentReport& report);
  /// The way outward over them: motions and wrenches at the lanes' handles.
  void open(int s, const SegmentClosing& closing);

 private:
  [[nodiscard]] const ChainSegment& segment_at(int s) const { return plan_->segments()[index_of(s)]; }
  [[nodiscard]] const ChainBlock& block_of(int lane) const { return lanes_->block(lane / ChainSweeps::kLanes); }
  [[nodiscard]] TurnScan<double> scan_of(int lane) const {
    return lane_of<TurnScan<double>>(block_of(lane).scan, lane % ChainSweeps::kLanes);
  }
  [[nodiscard]] Vec3 lever_of(int lane) const {
    const auto lever = lane_of<kernels::LinkVector<double>>(block_of(lane).levers, lane % ChainSweeps::kLanes);
    return {lever.x, lever.y, lever.z};
  }
  /// \returns whether a segment's proximal handle is one to another segment.
  [[nodiscard]] bool has_inboard(int s) const {
    return s > plan_->arms()[index_of(plan_->segments()[index_of(s)].arm)].first_segment;
  }
  [[nodiscard]] JointTurn first_turn(const ChainSegment& segment) const {
    return lane_of<JointTurn>(block_of(segment.first_lane).turns, segment.first_lane % ChainSweeps::kLanes);
  }
  /// \returns where a lane stands among those of this rank.
  [[nodiscard]] std::size_t place(int lane) const { return index_of(lane - first_block_ * ChainSweeps::kLanes); }
  /// \returns whether something goes on, or is held, at a segment's distal handle.
  [[nodiscard]] bool has_tip(int s) const {
    const ChainArm& arm = plan_->arms()[index_of(plan_->segments()[index_of(s)].arm)];
    return arm.at_cut || s + 1 < arm.last_segment;
  }

  const ChainPlan* plan_;
  const ChainLanes* lanes_;
  const ChainSweeps* sweeps_;
  int first_block_;
  NodeChain chain_;
};

}  // namespace mbdbench
