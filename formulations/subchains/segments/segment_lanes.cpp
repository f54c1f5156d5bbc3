#include "formulations/subchains/segments/segment_lanes.hpp"

#include <cstddef>

namespace mbdbench {

using kernels::LinkVector;
using kernels::LinkWrench;
using kernels::Row;

void SegmentLanes::report_lever(int s, SegmentReport& report) const {
  const ChainSegment& segment = scans_.segment_at(s);
  Vec3 lever = Vec3::Zero();
  for (int lane = segment.last_lane - 1; lane >= segment.first_lane; --lane) {
    lever = (turn_of(scans_.scan_of(lane)) * lever + lever_of(lane)).eval();
  }
  if (scans_.has_inboard(s)) {
    turn_back(scans_.first_turn(segment), lever.x(), lever.y());
  }
  report.lever = plain(lever);
}

void SegmentLanes::report_motion(int s, SegmentReport& report) const {
  const ChainSegment& segment = scans_.segment_at(s);
  Vec3 linear = Vec3::Zero();
  Vec3 angular = Vec3::Zero();
  Mat3 turn = Mat3::Identity();  // from the first lane's first link
  Vec3 lever = Vec3::Zero();     // in its frame
  for (int lane = segment.first_lane; lane < segment.last_lane; ++lane) {
    const TurnScan<double> scan = scans_.scan_of(lane);
    lever += turn.transpose() * lever_of(lane);
    linear = (turn_of(scan) * (linear + angular.cross(lever_of(lane))) + vector_at(scans_.block_of(lane).drift, lane))
                 .eval();
    angular = (turn_of(scan) * angular + vector_of(scan.carried)).eval();
    turn = (turn_of(scan) * turn).eval();
  }
  if (scans_.has_inboard(s)) {
    turn_back(scans_.first_turn(segment), lever.x(), lever.y());
  }
  report.lever = plain(lever);
  report.drift = plain(linear);
}

void SegmentLanes::tell_loads(int s, const SegmentClosing& closing) const {
  const ChainSegment& segment = scans_.segment_at(s);
  Vec6 load = Vec6::Map(closing.answer_of(s).load.at);
  for (int lane = segment.last_lane - 1; lane >= segment.first_lane; --lane) {
    tell_lane(scans_.block_of(lane), lane, offsetof(LaneExchange<double>, load),
              LinkWrench<double>{load[0], load[1], load[2], load[3], load[4], load[5]});
    load = carried_inward(turn_of(scans_.scan_of(lane)), lever_of(lane), load);
  }
}

void SegmentLanes::close(int s, SegmentReport& report) {
  const ChainSegment& segment = scans_.segment_at(s);
  kernels::TipRows* tip = has_tip(s) ? &report.tip : nullptr;
  chain_.begin(place(segment.last_lane - 1), report.node, tip);
  chain_.close(*sweeps_, place(segment.first_lane), place(segment.last_lane), report.node, tip);
  if (scans_.has_inboard(s)) {
    turn_back(scans_.first_turn(segment), report, tip != nullptr);
  }
}

void SegmentLanes::close_again(int s, SegmentReport& report) {
  const ChainSegment& segment = scans_.segment_at(s);
  kernels::TipRows* tip = has_tip(s) ? &report.tip : nullptr;
  Row& wrench = report.node.wrench;
  chain_.begin_again(place(segment.last_lane - 1), wrench, tip);
  chain_.close_again(place(segment.first_lane), place(segment.last_lane), wrench, tip);
  if (scans_.has_inboard(s)) {
    turn_back(scans_.first_turn(segment), wrench.at[0], wrench.at[1]);
    turn_back(scans_.first_turn(segment), wrench.at[3], wrench.at[4]);
  }
}

void SegmentLanes::open(int s, const SegmentClosing& closing) {
  const ChainSegment& segment = scans_.segment_at(s);
  Row motion = closing.answer_of(s).motion;
  if (scans_.has_inboard(s)) {
    turn_on(scans_.first_turn(segment), motion.at[0], motion.at[1]);
    turn_on(scans_.first_turn(segment), motion.at[3], motion.at[4]);
  }
  chain_.open(*sweeps_, place(segment.first_lane), place(segment.last_lane), motion, closing.answer_of(s).wrench,
              has_tip(s));
  for (int lane = segment.first_lane; lane < segment.last_lane; ++lane) {
    const double* f = chain_.wrench(place(lane)).at;
    const double* v = chain_.motion(place(lane)).at;
    const ChainBlock& block = scans_.block_of(lane);
    tell_lane(block, lane, offsetof(LaneExchange<double>, wrench),
              LinkWrench<double>{f[0], f[1], f[2], f[3], f[4], f[5]});
    tell_lane(block, lane, offsetof(LaneExchange<double>, linear), LinkVector<double>{v[0], v[1], v[2]});
    tell_lane(block, lane, offsetof(LaneExchange<double>, angular), LinkVector<double>{v[3], v[4], v[5]});
  }
}

}  // namespace mbdbench
