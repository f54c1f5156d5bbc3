#include "formulations/subchains/subchain_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "formulations/recursion/link_loads.hpp"
#include "formulations/subchains/chain_lanes.hpp"
#include "formulations/subchains/execution.hpp"
#include "formulations/subchains/instruction_set.hpp"
#include "formulations/subchains/segment_closing.hpp"
#include "formulations/subchains/turn_scan.hpp"
#include "formulations/subchains/worker_team.hpp"
#include "mechanisms/model/index_of.hpp"

namespace mbdbench {
namespace {

using kernels::LinkVector;
using kernels::LinkWrench;
using kernels::Row;

constexpr int kLanes = ChainSweeps::kLanes;

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
  set_lane(value, block.exchange + member * std::size_t{kLanes}, lane % kLanes);
}

}  // namespace

struct SubchainSolver::Work {
  Work(const Mechanism& mechanism, const ChainPlan& chains);

  [[nodiscard]] const ChainBlock& block_of(int lane) const { return lanes.block(lane / kLanes); }
  /// \returns which member of the team works on a block.
  [[nodiscard]] int owner(int b) const { return b * team.size() / plan->division().blocks; }
  template <typename Body>
  void for_blocks_of(int member, const Body& body) const {
    for (int b = 0; b < plan->division().blocks; ++b) {
      if (owner(b) == member) {
        body(b, lanes.block(b));
      }
    }
  }
  template <typename Body>
  void for_segments_of(int member, const Body& body) const {
    for (std::size_t s = 0; s < plan->segments().size(); ++s) {
      if (owner(plan->segments()[s].block) == member) {
        body(static_cast<int>(s), plan->segments()[s]);
      }
    }
  }
  /// \returns whether something goes on, or is held, at a segment's distal handle.
  [[nodiscard]] bool has_tip(int s) const {
    const ChainArm& arm = plan->arms()[index_of(plan->segments()[index_of(s)].arm)];
    return arm.at_cut || s + 1 < arm.last_segment;
  }
  void set_turns(int b, std::span<const double> q) const;
  void report_scan(int s, const ChainSegment& segment, bool outward);
  void tell_rates(int s, const ChainSegment& segment, const SegmentClosing& closing) const;
  void tell_moments(int s, const ChainSegment& segment, const SegmentClosing& closing) const;
  void tell_loads(int s, const ChainSegment& segment, const SegmentClosing& closing) const;
  [[nodiscard]] TurnScan<double> scan_of(int lane) const {
    return lane_of<TurnScan<double>>(block_of(lane).scan, lane % kLanes);
  }
  [[nodiscard]] Vec3 lever_of(int lane) const {
    return vector_of(lane_of<LinkVector<double>>(block_of(lane).levers, lane % kLanes));
  }
  void close_segments(int member);
  void open_segment(int s, const ChainSegment& segment, const SegmentClosing& closing);
  void set_forces(int b) const;
  [[nodiscard]] int failed_joint(std::span<const double> rates);

  const ChainPlan* plan;
  const ChainSweeps* sweeps;
  ChainLanes lanes;
  NodeChain chain;  // of all lanes
  std::vector<SegmentReport> reports;
  std::vector<SegmentClosing> closings;  // one a member
  std::vector<double> pivots;            // the smallest of every block
  double failed_pivot = 0.0;
  LinkLoads loads;
  LinkPositions positions;  // not set: loads in joints need none
  WorkerTeam team;
};

SubchainSolver::Work::Work(const Mechanism& mechanism, const ChainPlan& chains)
    : plan(&chains),
      sweeps(&instruction_set().sweeps),
      lanes(chains),
      chain(index_of(chains.division().lanes())),
      reports(chains.segments().size()),
      pivots(index_of(chains.division().blocks)),
      loads(mechanism, chains.tree()),
      positions(chains.tree().positions()),
      team(std::min(thread_count(), chains.division().blocks)) {
  closings.reserve(index_of(team.size()));
  for (int member = 0; member < team.size(); ++member) {
    closings.emplace_back(mechanism, chains, *sweeps);
  }
}

void SubchainSolver::Work::set_turns(int b, std::span<const double> q) const {
  const ChainBlock& own = lanes.block(b);
  lanes.scatter(b, q, &ChainBlock::angles, own.length + 1);
  if (sweeps->set_turns(own)) {
    return;
  }
  // Huge angles: the kernel has added the offsets.
  const int count = (own.length + 1) * kLanes;
  for (int k = 0; k < count; ++k) {
    const int i = k / kLanes;
    const int l = k % kLanes;
    own.turns[2 * i * kLanes + l] = std::sin(own.angles[k]);
    own.turns[(2 * i + 1) * kLanes + l] = std::cos(own.angles[k]);
  }
}

void SubchainSolver::Work::report_scan(int s, const ChainSegment& segment, bool outward) {
  SegmentReport& report = reports[index_of(s)];
  report.first_turn =
      lane_of<kernels::SineCosine<double>>(block_of(segment.first_lane).turns, segment.first_lane % kLanes);
  const ChainArm& arm = plan->arms()[index_of(segment.arm)];
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
}

void SubchainSolver::Work::tell_rates(int s, const ChainSegment& segment, const SegmentClosing& closing) const {
  Vec3 omega = closing.inboard_omega(reports, s);
  for (int lane = segment.first_lane; lane < segment.last_lane; ++lane) {
    const TurnScan<double> scan = scan_of(lane);
    omega = (turn_of(scan) * omega + vector_of(scan.carried)).eval();
    tell(block_of(lane), lane, kOmega, plain(omega));
  }
}

void SubchainSolver::Work::tell_moments(int s, const ChainSegment& segment, const SegmentClosing& closing) const {
  Vec3 moment = closing.outboard_moment(reports, s);
  for (int lane = segment.last_lane - 1; lane >= segment.first_lane; --lane) {
    tell(block_of(lane), lane, kMoment, plain(moment));
    const TurnScan<double> scan = scan_of(lane);
    moment = (turn_of(scan) * moment + vector_of(scan.carried)).eval();
  }
  Vec3 gravity = closing.gravity(reports, s);
  for (int lane = segment.first_lane; lane < segment.last_lane; ++lane) {
    gravity = (turn_of(scan_of(lane)).transpose() * gravity).eval();
    tell(block_of(lane), lane, kGravity, plain(gravity));
  }
}

void SubchainSolver::Work::tell_loads(int s, const ChainSegment& segment, const SegmentClosing& closing) const {
  Vec6 load = closing.outboard_load(reports, s);
  for (int lane = segment.last_lane - 1; lane >= segment.first_lane; --lane) {
    tell(block_of(lane), lane, kLoad, LinkWrench<double>{load[0], load[1], load[2], load[3], load[4], load[5]});
    load = carried_inward(turn_of(scan_of(lane)), lever_of(lane), load);
  }
}

void SubchainSolver::Work::close_segments(int member) {
  for_segments_of(member, [this](int s, const ChainSegment& segment) {
    SegmentReport& report = reports[index_of(s)];
    kernels::TipRows* tip = has_tip(s) ? &report.tip : nullptr;
    chain.begin(index_of(segment.last_lane - 1), report.node, tip);
    chain.close(*sweeps, index_of(segment.first_lane), index_of(segment.last_lane), report.node, tip);
  });
}

void SubchainSolver::Work::open_segment(int s, const ChainSegment& segment, const SegmentClosing& closing) {
  chain.open(*sweeps, index_of(segment.first_lane), index_of(segment.last_lane), closing.motion(s), closing.wrench(s),
             has_tip(s));
  for (int lane = segment.first_lane; lane < segment.last_lane; ++lane) {
    const double* f = chain.wrench(index_of(lane)).at;
    const double* v = chain.motion(index_of(lane)).at;
    const ChainBlock& own = block_of(lane);
    tell(own, lane, kWrench, LinkWrench<double>{f[0], f[1], f[2], f[3], f[4], f[5]});
    tell(own, lane, kLinear, LinkVector<double>{v[0], v[1], v[2]});
    tell(own, lane, kAngular, LinkVector<double>{v[3], v[4], v[5]});
  }
}

void SubchainSolver::Work::set_forces(int b) const {
  if (loads.in_joints()) {
    lanes.scatter(b, loads.joint_forces(), &ChainBlock::forces, plan->division().length);
  }
}

int SubchainSolver::Work::failed_joint(std::span<const double> rates) {
  const bool positive = std::all_of(pivots.begin(), pivots.end(), [](double pivot) { return pivot > 0.0; });
  const std::span<const int> coordinates = plan->coordinates();
  // What is not a number anywhere has reached the base on the way inward and all links of the arm on the way outward.
  const bool finite = std::all_of(plan->arms().begin(), plan->arms().end(), [&](const ChainArm& arm) {
    return std::isfinite(rates[index_of(coordinates[index_of(arm.first)])]) &&
           std::isfinite(rates[index_of(coordinates[index_of(arm.last - 1)])]);
  });
  if (positive && finite) {
    return -1;
  }
  for (std::size_t position = coordinates.size(); position-- > 0;) {
    failed_pivot = lanes.pivot(position);
    if (!(failed_pivot > 0.0) || !std::isfinite(failed_pivot)) {
      return plan->tree().joint(position);
    }
  }
  failed_pivot = std::numeric_limits<double>::quiet_NaN();  // angles and pivots are numbers, rates or loads are not
  return plan->tree().joint(coordinates.size() - 1);
}

SubchainSolver::SubchainSolver(const Mechanism& mechanism, const ChainPlan& plan)
    : work_(std::make_unique<Work>(mechanism, plan)) {}
SubchainSolver::~SubchainSolver() = default;

int SubchainSolver::accelerations(double t, std::span<const double> q, std::span<const double> u,
                                  std::span<double> udot) {
  Work& work = *work_;
  work.team.run([&](int member) {
    SegmentClosing& closing = work.closings[index_of(member)];
    if (member == 0 && work.loads.in_joints()) {
      work.loads.evaluate(t, q, u, work.plan->tree(), work.positions);
    }
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.set_turns(b, q);
      work.lanes.scatter(b, u, &ChainBlock::rates, block.length);
      work.sweeps->scan_rates(block);
    });
    work.for_segments_of(member, [&](int s, const ChainSegment& segment) { work.report_scan(s, segment, true); });
    work.team.barrier();  // first exchange: scans
    work.for_segments_of(member, [&](int s, const ChainSegment& segment) { work.tell_rates(s, segment, closing); });
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.set_forces(b);
      work.pivots[index_of(b)] = work.sweeps->sweep_accelerations_inward(block);
      work.sweeps->set_nodes(block, work.chain.nodes() + b * kLanes);
    });
    work.close_segments(member);
    work.team.barrier();  // second exchange: nodes
    closing.close_accelerations(work.reports);
    work.for_segments_of(member, [&](int s, const ChainSegment& segment) { work.open_segment(s, segment, closing); });
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.sweeps->sweep_accelerations_outward(block);
      work.lanes.gather(b, &ChainBlock::results, udot);
    });
  });
  return work.failed_joint(udot);
}

int SubchainSolver::momenta(double t, std::span<const double> q, std::span<const double> p, double leak,
                            std::span<double> u, std::span<double> pdot) {
  Work& work = *work_;
  const bool loaded = work.plan->cut().has_value();
  work.team.run([&](int member) {
    SegmentClosing& closing = work.closings[index_of(member)];
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.set_turns(b, q);
      if (loaded) {
        work.sweeps->scan_levers(block);
      }
      work.lanes.scatter(b, p, &ChainBlock::rates, block.length);
      work.pivots[index_of(b)] = work.sweeps->sweep_momenta_inward(block);
      work.sweeps->set_nodes(block, work.chain.nodes() + b * kLanes);
    });
    work.for_segments_of(member, [&](int s, const ChainSegment& segment) { work.report_scan(s, segment, false); });
    work.close_segments(member);
    work.team.barrier();  // the only exchange: what acts on momenta needs no velocities
    closing.close_velocities(work.reports, leak);
    work.for_segments_of(member, [&](int s, const ChainSegment& segment) {
      work.tell_moments(s, segment, closing);
      work.open_segment(s, segment, closing);
      if (loaded) {
        work.tell_loads(s, segment, closing);
      }
    });
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.sweeps->sweep_velocities_outward(block);
      work.lanes.gather(b, &ChainBlock::results, u);
    });
    if (work.loads.in_joints()) {
      work.team.barrier();  // forces such as those of dampers depend on u
      if (member == 0) {
        work.loads.evaluate(t, q, u, work.plan->tree(), work.positions);
      }
      work.team.barrier();
    }
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.set_forces(b);
      (loaded ? work.sweeps->sweep_momentum_rates_with_loads : work.sweeps->sweep_momentum_rates)(block);
      work.lanes.gather(b, &ChainBlock::momentum_rates, pdot);
    });
  });
  const int failed = work.failed_joint(u);
  return failed >= 0 ? failed : work.failed_joint(pdot);
}

double SubchainSolver::failed_pivot() const {
  return work_->failed_pivot;
}

int SubchainSolver::redundant_rows() const {
  const LoopClosure* loop = work_->closings.front().loop();
  return loop == nullptr ? 0 : loop->redundant_rows();
}

double SubchainSolver::largest_multiplier() const {
  const LoopClosure* loop = work_->closings.front().loop();
  return loop == nullptr ? 0.0 : loop->multipliers().lpNorm<Eigen::Infinity>();
}

}  // namespace mbdbench
