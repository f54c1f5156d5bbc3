#include "formulations/subchains/segments/segment_scans.hpp"

#include <cstddef>

namespace mbdbench {

void SegmentScans::report(int s, bool outward, SegmentScan& report) const {
  const ChainSegment& segment = segment_at(s);
  report.first_turn = first_turn(segment);
  if (!arm_of(s).at_cut && arm_of(s).last_segment == arm_of(s).first_segment + 1) {
    return;  // nobody asks
  }
  Mat3 turn = Mat3::Identity();
  Vec3 carried = Vec3::Zero();
  const int lanes_here = segment.last_lane - segment.first_lane;
  for (int k = 0; k < lanes_here; ++k) {
    const TurnScan<double> scan = scan_of(outward ? segment.first_lane + k : segment.last_lane - 1 - k);
    carried = (turn_of(scan) * carried + vector_of(scan.carried)).eval();
    turn = (turn_of(scan) * turn).eval();
  }
  report.scan = {plain(turn.col(0)), plain(turn.col(1)), plain(carried)};
  if (has_inboard(s)) {
    outward ? turn_start(report.first_turn, report.scan) : turn_end(report.first_turn, report.scan);
  }
}

void SegmentScans::tell_rates(int s, Vec3 omega) const {
  const ChainSegment& segment = segment_at(s);
  if (has_inboard(s)) {
    turn_on(first_turn(segment), omega.x(), omega.y());
  }
  for (int lane = segment.first_lane; lane < segment.last_lane; ++lane) {
    tell_lane(block_of(lane), lane, offsetof(LaneExchange<double>, inboard_omega), plain(omega));
    const TurnScan<double> scan = scan_of(lane);
    omega = (turn_of(scan) * omega + vector_of(scan.carried)).eval();
    tell_lane(block_of(lane), lane, offsetof(LaneExchange<double>, omega), plain(omega));
  }
}

void SegmentScans::tell_moments(int s, Vec3 moment, Vec3 gravity) const {
  const ChainSegment& segment = segment_at(s);
  for (int lane = segment.last_lane - 1; lane >= segment.first_lane; --lane) {
    tell_lane(block_of(lane), lane, offsetof(LaneExchange<double>, moment), plain(moment));
    const TurnScan<double> scan = scan_of(lane);
    moment = (turn_of(scan) * moment + vector_of(scan.carried)).eval();
  }
  if (has_inboard(s)) {
    turn_on(first_turn(segment), gravity.x(), gravity.y());
  }
  for (int lane = segment.first_lane; lane < segment.last_lane; ++lane) {
    gravity = (turn_of(scan_of(lane)).transpose() * gravity).eval();
    tell_lane(block_of(lane), lane, offsetof(LaneExchange<double>, gravity), plain(gravity));
  }
}

}  // namespace mbdbench
