#pragma once
/// \file
/// Passes along an arm that need no handles: angular velocities outward, gravity outward, first moments inward. The
/// lanes of a segment report their turn and what they add; from all reports each segment tells its lanes what they
/// start from.
#include <cstddef>
#include <span>

#include "formulations/subchains/chains/chain_lanes.hpp"
#include "formulations/subchains/handle_turn.hpp"
#include "formulations/subchains/turn_scan.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

/// One member of what a lane learns. \param member where it stands in LaneExchange, in bytes of one lane
template <typename Value>
void tell_lane(const ChainBlock& block, int lane, std::size_t member, const Value& value) {
  set_lane(value, block.exchange + member / sizeof(double) * std::size_t{ChainSweeps::kLanes},
           lane % ChainSweeps::kLanes);
}

/// \returns the axes of an arm's first link, columns in world axes. \param turn of that link's joint
inline Mat3 first_link_axes(const ChainPlan& plan, int arm, const kernels::SineCosine<double>& turn) {
  const kernels::LinkConstants<double>& link = plan.tree().links()[index_of(plan.arms()[index_of(arm)].first)];
  Mat3 axes;
  for (int k = 0; k < 3; ++k) {
    axes.col(k) = vector_of(kernels::rotated_inward(link, turn.cosine, turn.sine,
                                                    {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0}));
  }
  return plan.start_axes(arm) * axes;
}

/// Of the segments in one process's blocks. Reports are SegmentScans or what is derived from them.
class SegmentScans {
 public:
  SegmentScans(const ChainPlan& plan, const ChainLanes& lanes) : plan_(&plan), lanes_(&lanes) {}

  /// Turn and vector carried along over all lanes. \param outward the direction of the scan
  void report(int s, bool outward, SegmentScan& report) const;
  /// Angular velocities (accelerations). \param omega inboard of the segment, in the frame of its first link before the
  /// joint's angle
  void tell_rates(int s, Vec3 omega) const;
  /// First moments and gravity (momenta). \param moment outboard of the segment, in the frame of the next one's first
  /// link \param gravity as omega
  void tell_moments(int s, Vec3 moment, Vec3 gravity) const;
  /// The same where every segment knows all reports.
  template <typename Report>
  void tell_rates(int s, std::span<const Report> reports) const {
    tell_rates(s, carried_outward(s, reports));
  }
  template <typename Report>
  void tell_moments(int s, std::span<const Report> reports) const {
    tell_moments(s, carried_inward(s, reports), gravity(s, reports));
  }

  [[nodiscard]] const ChainSegment& segment_at(int s) const { return plan_->segments()[index_of(s)]; }
  [[nodiscard]] const ChainBlock& block_of(int lane) const { return lanes_->block(lane / ChainSweeps::kLanes); }
  [[nodiscard]] TurnScan<double> scan_of(int lane) const {
    return lane_of<TurnScan<double>>(block_of(lane).scan, lane % ChainSweeps::kLanes);
  }
  /// \returns whether a segment's proximal handle is one to another segment.
  [[nodiscard]] bool has_inboard(int s) const { return s > arm_of(s).first_segment; }
  [[nodiscard]] JointTurn first_turn(const ChainSegment& segment) const {
    return lane_of<JointTurn>(block_of(segment.first_lane).turns, segment.first_lane % ChainSweeps::kLanes);
  }
  [[nodiscard]] const ChainArm& arm_of(int s) const { return plan_->arms()[index_of(segment_at(s).arm)]; }

 private:
  /// Angular velocity inboard of a segment, in the frame of its first link's inboard neighbour carried to that link.
  template <typename Report>
  [[nodiscard]] Vec3 carried_outward(int segment, std::span<const Report> reports) const {
    Vec3 omega = Vec3::Zero();
    for (int s = arm_of(segment).first_segment; s < segment; ++s) {
      const TurnScan<double>& scan = reports[index_of(s)].scan;
      omega = (turn_of(scan) * omega + vector_of(scan.carried)).eval();
    }
    return omega;
  }
  /// First moment outboard of a segment, in the frame of the next segment's first link.
  template <typename Report>
  [[nodiscard]] Vec3 carried_inward(int segment, std::span<const Report> reports) const {
    Vec3 moment = Vec3::Zero();
    for (int s = arm_of(segment).last_segment - 1; s > segment; --s) {
      const TurnScan<double>& scan = reports[index_of(s)].scan;
      moment = (turn_of(scan) * moment + vector_of(scan.carried)).eval();
    }
    return moment;
  }
  /// Gravity in the frame of a segment's first link; scans inward.
  template <typename Report>
  [[nodiscard]] Vec3 gravity(int segment, std::span<const Report> reports) const {
    const kernels::SineCosine<double>& turn = reports[index_of(arm_of(segment).first_segment)].first_turn;
    Vec3 gravity = first_link_axes(*plan_, segment_at(segment).arm, turn).transpose() * plan_->gravity();
    for (int s = arm_of(segment).first_segment; s < segment; ++s) {
      gravity = (turn_of(reports[index_of(s)].scan).transpose() * gravity).eval();
    }
    return gravity;
  }
  const ChainPlan* plan_;
  const ChainLanes* lanes_;
};

}  // namespace mbdbench
