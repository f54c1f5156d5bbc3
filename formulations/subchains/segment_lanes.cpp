#include "formulations/subchains/segment_lanes.hpp"

#include <cstddef>

#include "formulations/subchains/handle_turn.hpp"
#include "formulations/subchains/turn_scan.hpp"

namespace mbdbench {
namespace {

using kernels::LinkVector;
using kernels::LinkWrench;
using kernels::Row;

// Where members of LaneExchange stand among the numbers of one lane.
constexpr std::size_t kOmega = offsetof(LaneExchange<double>, omega) / sizeof(double);
constexpr std::size_t kGravity = offsetof(LaneExchange<double>, gravity) / sizeof(double);
constexpr std::size_t kMoment = offsetof(LaneExchange<double>, moment) / sizeof(double);
constexpr std::size_t kWrench = offsetof(LaneExchange<double>, wrench) / sizeof(double);
constexpr std::size_t kLoad = offsetof(LaneExchange<double>, load) / sizeof(double);
constexpr std::size_t kLinear = offsetof(LaneExchange<double>, linear) / sizeof(double);
constexpr std::size_t kAngular = offsetof(LaneExchange<double>, angular) / sizeof(double);

/// One member of what a lane learns.
template <typename Value>
void tell(const ChainBlock& block, int lane, std::size_t member, const Value& value) {
  set_lane(value, block.exchange + member * std::size_t{ChainSweeps::kLanes}, lane % ChainSweeps::kLanes);
}

}  // namespace

void SegmentLanes::report_scan(int s, bool outward, SegmentReport& report) const {
  const ChainSegment& segment = segment_at(s);
  report.first_turn = first_turn(segment);
  const ChainArm& arm = plan_->arms()[index_of(segment.arm)];
  if (!arm.at_cut && arm.last_segment == arm.first_segment + 1) {
    return;  // nobody asks
  }
  Mat3 turn = Mat3::Identity();
  Vec3 carried = Vec3::Zero();
  Vec3 lever = Vec3::Zero();
  const int lanes_here = segment.last_lane - segment.first_lane;
  for (int k = 0; k < lanes_here; ++k) {
    const int lane = outward ? segment.first_lane + k : segment.last_lane - 1 - k;
    const TurnScan<double> scan = scan_of(lane);
    carried = (turn_of(scan) * carried + vector_of(scan.carried)).eval();
    turn = (turn_of(scan) * turn).eval();
    lever = (turn_of(scan) * lever + lever_of(lane)).eval();  // inward only
  }
  report.scan = {plain(turn.col(0)), plain(turn.col(1)), plain(carried)};
  report.lever = plain(lever);
  if (has_inboard(s)) {
    outward ? turn_start(report.first_turn, report.scan) : turn_end(report.first_turn, report);
  }
}

void SegmentLanes::tell_rates(int s, std::span<const SegmentReport> reports, const SegmentClosing& closing) const {
  const ChainSegment& segment = segment_at(s);
  Vec3 omega = closing.inboard_omega(reports, s);
  if (has_inboard(s)) {
    turn_on(first_turn(segment), omega.x(), omega.y());
  }
  for (int lane = segment.first_lane; lane < segment.last_lane; ++lane) {
    const TurnScan<double> scan = scan_of(lane);
    omega = (turn_of(scan) * omega + vector_of(scan.carried)).eval();
    tell(block_of(lane), lane, kOmega, plain(omega));
  }
}

void SegmentLanes::tell_moments(int s, std::span<const SegmentReport> reports, const SegmentClosing& closing) const {
  const ChainSegment& segment = segment_at(s);
  Vec3 moment = closing.outboard_moment(reports, s);
  for (int lane = segment.last_lane - 1; lane >= segment.first_lane; --lane) {
    tell(block_of(lane), lane, kMoment, plain(moment));
    const TurnScan<double> scan = scan_of(lane);
    moment = (turn_of(scan) * moment + vector_of(scan.carried)).eval();
  }
  Vec3 gravity = closing.gravity(reports, s);
  if (has_inboard(s)) {
    turn_on(first_turn(segment), gravity.x(), gravity.y());
  }
  for (int lane = segment.first_lane; lane < segment.last_lane; ++lane) {
    gravity = (turn_of(scan_of(lane)).transpose() * gravity).eval();
    tell(block_of(lane), lane, kGravity, plain(gravity));
  }
}

void SegmentLanes::tell_loads(int s, std::span<const SegmentReport> reports, const SegmentClosing& closing) const {
  const ChainSegment& segment = segment_at(s);
  Vec6 load = closing.outboard_load(reports, s);
  for (int lane = segment.last_lane - 1; lane >= segment.first_lane; --lane) {
    tell(block_of(lane), lane, kLoad, LinkWrench<double>{load[0], load[1], load[2], load[3], load[4], load[5]});
    load = carried_inward(turn_of(scan_of(lane)), lever_of(lane), load);
  }
}

void SegmentLanes::close(int s, SegmentReport& report) {
  const ChainSegment& segment = segment_at(s);
  kernels::TipRows* tip = has_tip(s) ? &report.tip : nullptr;
  chain_.begin(place(segment.last_lane - 1), report.node, tip);
  chain_.close(*sweeps_, place(segment.first_lane), place(segment.last_lane), report.node, tip);
  if (has_inboard(s)) {
    turn_back(first_turn(segment), report, tip != nullptr);
  }
}

void SegmentLanes::open(int s, const SegmentClosing& closing) {
  const ChainSegment& segment = segment_at(s);
  Row motion = closing.motion(s);
  if (has_inboard(s)) {
    turn_on(first_turn(segment), motion.at[0], motion.at[1]);
    turn_on(first_turn(segment), motion.at[3], motion.at[4]);
  }
  chain_.open(*sweeps_, place(segment.first_lane), place(segment.last_lane), motion, closing.wrench(s), has_tip(s));
  for (int lane = segment.first_lane; lane < segment.last_lane; ++lane) {
    const double* f = chain_.wrench(place(lane)).at;
    const double* v = chain_.motion(place(lane)).at;
    const ChainBlock& block = block_of(lane);
    tell(block, lane, kWrench, LinkWrench<double>{f[0], f[1], f[2], f[3], f[4], f[5]});
    tell(block, lane, kLinear, LinkVector<double>{v[0], v[1], v[2]});
    tell(block, lane, kAngular, LinkVector<double>{v[3], v[4], v[5]});
  }
}

}  // namespace mbdbench
