#include "formulations/subchains/subchain_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "formulations/recursion/link_loads.hpp"
#include "formulations/subchains/chain_lanes.hpp"
#include "formulations/subchains/execution.hpp"
#include "formulations/subchains/handle_turn.hpp"
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

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

/// \returns where the parts of ranks begin in an array with one element a segment, in bytes.
std::vector<std::size_t> bounds_of(const ChainPlan& plan, const RankExchange* ranks, std::size_t element) {
  std::vector<std::size_t> bounds;
  const int size = ranks == nullptr ? 1 : ranks->size();
  bounds.reserve(index_of(size) + 1);
  for (int r = 0; r < size; ++r) {
    bounds.push_back(element * index_of(plan.share_of(r, size).segments.first));
  }
  bounds.push_back(element * plan.segments().size());
  return bounds;
}

/// One member of what a lane learns.
template <typename Value>
void tell(const ChainBlock& block, int lane, std::size_t member, const Value& value) {
  set_lane(value, block.exchange + member * std::size_t{kLanes}, lane % kLanes);
}

}  // namespace

struct SubchainSolver::Work {
  Work(const Mechanism& mechanism, const ChainPlan& chains, RankExchange* given);

  [[nodiscard]] const ChainBlock& block_of(int lane) const { return lanes.block(lane / kLanes); }
  /// \returns which member of the team works on a block of this rank.
  [[nodiscard]] int owner(int b) const { return (b - own.blocks.first) * team.size() / own.blocks.count(); }
  template <typename Body>
  void for_blocks_of(int member, const Body& body) const {
    for (int b = own.blocks.first; b < own.blocks.last; ++b) {
      if (owner(b) == member) {
        body(b, lanes.block(b));
      }
    }
  }
  template <typename Body>
  void for_segments_of(int member, const Body& body) const {
    for (int s = own.segments.first; s < own.segments.last; ++s) {
      const ChainSegment& segment = plan->segments()[index_of(s)];
      if (owner(segment.block) == member) {
        body(s, segment);
      }
    }
  }
  /// \returns whether a segment's proximal handle is one to another segment.
  [[nodiscard]] bool has_inboard(int s) const {
    return s > plan->arms()[index_of(plan->segments()[index_of(s)].arm)].first_segment;
  }
  [[nodiscard]] JointTurn first_turn(const ChainSegment& segment) const {
    return lane_of<JointTurn>(block_of(segment.first_lane).turns, segment.first_lane % kLanes);
  }
  /// \returns where a lane stands among those of this rank.
  [[nodiscard]] std::size_t place(int lane) const { return index_of(lane - own.blocks.first * kLanes); }
  /// \returns whether something goes on, or is held, at a segment's distal handle.
  [[nodiscard]] bool has_tip(int s) const {
    const ChainArm& arm = plan->arms()[index_of(plan->segments()[index_of(s)].arm)];
    return arm.at_cut || s + 1 < arm.last_segment;
  }
  void set_turns(int b, std::span<const double> q) const;
  template <typename Part>
  void meet(int member, std::vector<Part>& parts, std::span<const std::size_t> bounds);
  void meet_scans(int member);
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
  [[nodiscard]] int outermost_failure();

  const ChainPlan* plan;
  const ChainSweeps* sweeps;
  RankExchange* ranks;
  ChainShare own;
  ChainLanes lanes;
  NodeChain chain;                     // of this rank's lanes
  std::vector<SegmentReport> reports;  // of all ranks
  std::vector<SegmentScan> scans;      // of all ranks; not used by one alone
  std::vector<std::size_t> report_bounds;
  std::vector<std::size_t> scan_bounds;
  std::vector<SegmentClosing> closings;  // one a member
  std::vector<double> pivots;            // the smallest of every block of this rank
  double failed_pivot = 0.0;
  LinkLoads loads;
  LinkPositions positions;  // not set: loads in joints need none
  WorkerTeam team;
};

SubchainSolver::Work::Work(const Mechanism& mechanism, const ChainPlan& chains, RankExchange* given)
    : plan(&chains),
      sweeps(&instruction_set().sweeps),
      ranks(given),
      own(ranks == nullptr ? chains.share_of(0, 1) : chains.share_of(ranks->rank(), ranks->size())),
      lanes(chains, own, ranks == nullptr),
      chain(index_of(own.blocks.count() * kLanes)),
      reports(chains.segments().size()),
      scans(ranks == nullptr ? 0 : reports.size()),
      report_bounds(bounds_of(chains, ranks, sizeof(SegmentReport))),
      scan_bounds(bounds_of(chains, ranks, sizeof(SegmentScan))),
      pivots(index_of(own.blocks.count())),
      loads(mechanism, chains.tree()),
      positions(chains.tree().positions()),
      team(std::min(thread_count(), own.blocks.count())) {
  closings.reserve(index_of(team.size()));
  for (int member = 0; member < team.size(); ++member) {
    closings.emplace_back(mechanism, chains, *sweeps);
  }
}

void SubchainSolver::Work::set_turns(int b, std::span<const double> q) const {
  const ChainBlock& block = lanes.block(b);
  lanes.scatter(b, q, &ChainBlock::angles, block.length + 1);
  if (sweeps->set_turns(block)) {
    return;
  }
  // Huge angles: the kernel has added the offsets.
  const int count = (block.length + 1) * kLanes;
  for (int k = 0; k < count; ++k) {
    const int i = k / kLanes;
    const int l = k % kLanes;
    block.turns[2 * i * kLanes + l] = std::sin(block.angles[k]);
    block.turns[(2 * i + 1) * kLanes + l] = std::cos(block.angles[k]);
  }
}

/// All segments' parts are there when it returns.
template <typename Part>
void SubchainSolver::Work::meet(int member, std::vector<Part>& parts, std::span<const std::size_t> bounds) {
  team.barrier();
  if (ranks != nullptr) {
    if (member == 0) {
      ranks->share(std::as_writable_bytes(std::span(parts)), bounds);
    }
    team.barrier();
  }
}

void SubchainSolver::Work::meet_scans(int member) {
  if (ranks == nullptr) {
    team.barrier();
    return;
  }
  for_segments_of(member, [this](int s, const ChainSegment& /*segment*/) {
    scans[index_of(s)] = {reports[index_of(s)].scan, reports[index_of(s)].first_turn};
  });
  meet(member, scans, scan_bounds);
  if (member == 0) {
    for (std::size_t s = 0; s < scans.size(); ++s) {
      reports[s].scan = scans[s].scan;
      reports[s].first_turn = scans[s].first_turn;
    }
  }
  team.barrier();
}

void SubchainSolver::Work::report_scan(int s, const ChainSegment& segment, bool outward) {
  SegmentReport& report = reports[index_of(s)];
  report.first_turn = first_turn(segment);
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
  if (has_inboard(s)) {
    outward ? turn_start(report.first_turn, report.scan) : turn_end(report.first_turn, report);
  }
}

void SubchainSolver::Work::tell_rates(int s, const ChainSegment& segment, const SegmentClosing& closing) const {
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

void SubchainSolver::Work::tell_moments(int s, const ChainSegment& segment, const SegmentClosing& closing) const {
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
    chain.begin(place(segment.last_lane - 1), report.node, tip);
    chain.close(*sweeps, place(segment.first_lane), place(segment.last_lane), report.node, tip);
    if (has_inboard(s)) {
      turn_back(first_turn(segment), report, tip != nullptr);
    }
    report.smallest_pivot = pivots[index_of(segment.block - own.blocks.first)];
  });
}

void SubchainSolver::Work::open_segment(int s, const ChainSegment& segment, const SegmentClosing& closing) {
  Row motion = closing.motion(s);
  if (has_inboard(s)) {
    turn_on(first_turn(segment), motion.at[0], motion.at[1]);
    turn_on(first_turn(segment), motion.at[3], motion.at[4]);
  }
  chain.open(*sweeps, place(segment.first_lane), place(segment.last_lane), motion, closing.wrench(s), has_tip(s));
  for (int lane = segment.first_lane; lane < segment.last_lane; ++lane) {
    const double* f = chain.wrench(place(lane)).at;
    const double* v = chain.motion(place(lane)).at;
    const ChainBlock& block = block_of(lane);
    tell(block, lane, kWrench, LinkWrench<double>{f[0], f[1], f[2], f[3], f[4], f[5]});
    tell(block, lane, kLinear, LinkVector<double>{v[0], v[1], v[2]});
    tell(block, lane, kAngular, LinkVector<double>{v[3], v[4], v[5]});
  }
}

void SubchainSolver::Work::set_forces(int b) const {
  if (loads.in_joints()) {
    lanes.scatter(b, loads.joint_forces(), &ChainBlock::forces, plan->division().length);
  }
}

int SubchainSolver::Work::failed_joint(std::span<const double> rates) {
  const bool positive = std::all_of(reports.begin(), reports.end(),
                                    [](const SegmentReport& report) { return report.smallest_pivot > 0.0; });
  if (ranks != nullptr) {
    // Each looks at its own results, but what is returned from here has to be the same on all.
    return positive ? -1 : outermost_failure();
  }
  const std::span<const int> coordinates = plan->coordinates();
  // What is not a number anywhere has reached the base on the way inward and all links of the arm on the way outward.
  const bool finite = std::all_of(plan->arms().begin(), plan->arms().end(), [&](const ChainArm& arm) {
    return std::isfinite(rates[index_of(coordinates[index_of(arm.first)])]) &&
           std::isfinite(rates[index_of(coordinates[index_of(arm.last - 1)])]);
  });
  return positive && finite ? -1 : outermost_failure();
}

int SubchainSolver::Work::outermost_failure() {
  struct Failure {
    double position = -1.0;
    double pivot = std::numeric_limits<double>::quiet_NaN();
  };
  std::vector<Failure> failures(index_of(ranks == nullptr ? 1 : ranks->size()));
  Failure& mine = failures[index_of(ranks == nullptr ? 0 : ranks->rank())];
  for (int position = own.positions.last; mine.position < 0.0 && position-- > own.positions.first;) {
    const double pivot = lanes.pivot(index_of(position));
    if (!(pivot > 0.0) || !std::isfinite(pivot)) {
      mine = {static_cast<double>(position), pivot};
    }
  }
  if (ranks != nullptr) {
    std::vector<std::size_t> bounds(failures.size() + 1);
    for (std::size_t r = 0; r < bounds.size(); ++r) {
      bounds[r] = r * sizeof(Failure);
    }
    ranks->share(std::as_writable_bytes(std::span(failures)), bounds);
  }
  const auto outermost = std::max_element(failures.begin(), failures.end(),
                                          [](const Failure& a, const Failure& b) { return a.position < b.position; });
  failed_pivot = outermost->pivot;
  // None: angles and pivots are numbers, rates or loads are not.
  return plan->tree().joint(outermost->position < 0.0 ? plan->coordinates().size() - 1
                                                      : static_cast<std::size_t>(outermost->position));
}

SubchainSolver::SubchainSolver(const Mechanism& mechanism, const ChainPlan& plan, RankExchange* ranks)
    : work_(std::make_unique<Work>(mechanism, plan, ranks)) {}
SubchainSolver::~SubchainSolver() = default;

int SubchainSolver::accelerations(double t, std::span<const double> q, std::span<const double> u,
                                  std::span<double> udot) {
  Work& work = *work_;
  const bool finite = work.ranks == nullptr || (all_finite(q) && all_finite(u));
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
    work.meet_scans(member);  // first exchange
    work.for_segments_of(member, [&](int s, const ChainSegment& segment) { work.tell_rates(s, segment, closing); });
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.set_forces(b);
      const double pivot = work.sweeps->sweep_accelerations_inward(block);
      work.pivots[index_of(b - work.own.blocks.first)] = finite ? pivot : std::numeric_limits<double>::quiet_NaN();
      work.sweeps->set_nodes(block, work.chain.nodes() + work.place(b * kLanes));
    });
    work.close_segments(member);
    work.meet(member, work.reports, work.report_bounds);  // second exchange
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
  const bool finite = work.ranks == nullptr || (all_finite(q) && all_finite(p));
  work.team.run([&](int member) {
    SegmentClosing& closing = work.closings[index_of(member)];
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.set_turns(b, q);
      if (loaded) {
        work.sweeps->scan_levers(block);
      }
      work.lanes.scatter(b, p, &ChainBlock::rates, block.length);
      const double pivot = work.sweeps->sweep_momenta_inward(block);
      work.pivots[index_of(b - work.own.blocks.first)] = finite ? pivot : std::numeric_limits<double>::quiet_NaN();
      work.sweeps->set_nodes(block, work.chain.nodes() + work.place(b * kLanes));
    });
    work.for_segments_of(member, [&](int s, const ChainSegment& segment) { work.report_scan(s, segment, false); });
    work.close_segments(member);
    // The only exchange: what acts on momenta needs no velocities.
    work.meet(member, work.reports, work.report_bounds);
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
