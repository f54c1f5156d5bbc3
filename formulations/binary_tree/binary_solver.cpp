#include "formulations/binary_tree/binary_solver.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "formulations/binary_tree/binary_lanes.hpp"
#include "formulations/binary_tree/node_tree.hpp"
#include "formulations/binary_tree/segment_node.hpp"
#include "formulations/kernels/chains/turns.hpp"
#include "formulations/lanes/lane_failure.hpp"
#include "formulations/subchains/chains/chain_team.hpp"

namespace mbdbench {
namespace {

using kernels::kHandleRows;

bool all_finite(std::span<const double> a, std::span<const double> b) {
  const auto finite = [](double value) { return std::isfinite(value); };
  return std::all_of(a.begin(), a.end(), finite) && std::all_of(b.begin(), b.end(), finite);
}

}  // namespace

struct BinarySolver::Work : ChainTeam {
  Work(const Mechanism& of, ChainPlan given_plan, const Execution& execution);

  /// Numbers of first links to other processes. \param values p or tau of what is held; none: zero
  void meet_starts(const TeamMember& member, std::span<const double> values);
  /// p or tau of the link behind every lane of a block.
  void set_behind(int b, std::span<const double> values) const;
  /// Lanes of a segment to one node.
  void close_segment(int s);
  /// Segments of all arms, and the ground. \param base its motion, world axes
  void close_arms(const TeamMember& member, const Vec3& base);
  void open_segment(const TeamMember& member, int s);
  /// What first links lack, after all others have their rates (third exchange).
  void finish(const TeamMember& member, std::span<double> rates);
  /// The first link of every lane turns against the last one of the lane before it.
  void subtract_distal(int s, std::span<double> rates) const;
  [[nodiscard]] RhsStatus status(std::span<const double> q, std::span<const double> rates);

  const Mechanism* mechanism;
  const ChainSweeps* link_sweeps;
  BinarySweeps sweeps;
  BinaryLanes trees;
  std::vector<NodeTree> segment_trees;           // of this process
  std::vector<SegmentStart> starts;              // of all processes
  std::vector<SegmentNode> nodes;                // of all processes
  std::vector<double> distals;                   // of all processes: motion about z that a segment gives the next one
  std::vector<std::vector<NodeTree>> arm_trees;  // every member closes all arms for itself
  std::vector<double> block_pivots;              // of this process
  std::vector<double> arm_pivots;                // one a member
  bool finite = true;                            // the state of this process
};

BinarySolver::Work::Work(const Mechanism& of, ChainPlan given_plan, const Execution& execution)
    : ChainTeam(of, std::move(given_plan), execution),
      mechanism(&of),
      link_sweeps(&chain_sweeps_for(execution.instruction_set)),
      sweeps(compiled_for(execution.instruction_set, []<int W>() { return binary_sweeps::sweeps<W>(); })),
      trees(plan, lanes),
      starts(plan.segments().size()),
      nodes(plan.segments().size()),
      distals(plan.segments().size()),
      arm_trees(index_of(team.size())),
      block_pivots(index_of(own.blocks.count())),
      arm_pivots(arm_trees.size()) {
  for (int s = own.segments.first; s < own.segments.last; ++s) {
    const ChainSegment& segment = plan.segments()[index_of(s)];
    segment_trees.emplace_back(segment.last_lane - segment.first_lane);
  }
  for (std::vector<NodeTree>& arms : arm_trees) {
    for (const ChainArm& arm : plan.arms()) {
      arms.emplace_back(arm.last_segment - arm.first_segment);
    }
  }
}

void BinarySolver::Work::meet_starts(const TeamMember& member, std::span<const double> values) {
  member.barrier();
  if (processes == nullptr) {
    return;
  }
  for (int s = own.segments.first; s < own.segments.last && member.index == 0; ++s) {
    const int first = plan.lanes()[index_of(scans.segment_at(s).first_lane)].first;
    starts[index_of(s)].first = values.empty() ? 0.0 : values[lanes.place(first)];
  }
  meet(member, starts);
}

void BinarySolver::Work::set_behind(int b, std::span<const double> values) const {
  const auto next = index_of(own.segments.last);
  trees.set_behind(b, values, next < starts.size() ? starts[next].first : 0.0);
}

void BinarySolver::Work::close_segment(int s) {
  const ChainSegment& segment = scans.segment_at(s);
  NodeTree& tree = segment_trees[index_of(s - own.segments.first)];
  for (int lane = segment.first_lane; lane < segment.last_lane; ++lane) {
    tree.leaf(lane - segment.first_lane) = trees.node(lane);
  }
  const double of_block = block_pivots[index_of(segment.block - own.blocks.first)];
  double smallest = 1e300;
  SegmentNode& whole = nodes[index_of(s)];
  whole.node = tree.close(smallest);
  whole.smallest_pivot =
      finite ? kernels::smaller_or_nan(smallest, of_block) : std::numeric_limits<double>::quiet_NaN();
  if (scans.has_inboard(s)) {
    turn_proximal_back(scans.first_turn(segment), whole.node);
  }
}

void BinarySolver::Work::close_arms(const TeamMember& member, const Vec3& base) {
  double smallest = 1e300;
  for (std::size_t a = 0; a < plan.arms().size(); ++a) {
    const ChainArm& arm = plan.arms()[a];
    NodeTree& tree = arm_trees[index_of(member.index)][a];
    for (int s = arm.first_segment; s < arm.last_segment; ++s) {
      tree.leaf(s - arm.first_segment) = nodes[index_of(s)].node;
    }
    const Mat3 axes = first_link_axes(plan, static_cast<int>(a), nodes[index_of(arm.first_segment)].first_turn);
    close_ground(tree.close(smallest), axes.transpose() * base, tree.sigma(0), smallest);
    std::fill_n(tree.sigma(arm.last_segment - arm.first_segment), kHandleRows, 0.0);
    tree.open();
  }
  arm_pivots[index_of(member.index)] = smallest;
}

void BinarySolver::Work::open_segment(const TeamMember& member, int s) {
  const ChainSegment& segment = scans.segment_at(s);
  NodeTree& arm = arm_trees[index_of(member.index)][index_of(segment.arm)];
  NodeTree& tree = segment_trees[index_of(s - own.segments.first)];
  const int place = s - scans.arm_of(s).first_segment;
  const int count = segment.last_lane - segment.first_lane;
  std::copy_n(arm.sigma(place), kHandleRows, tree.sigma(0));
  std::copy_n(arm.sigma(place + 1), kHandleRows, tree.sigma(count));
  if (scans.has_inboard(s)) {
    const JointTurn turn = scans.first_turn(segment);
    turn_on(turn, tree.sigma(0)[0], tree.sigma(0)[1]);
    turn_on(turn, tree.sigma(0)[3], tree.sigma(0)[4]);
  }
  tree.open();
  for (int k = 0; k < count; ++k) {
    trees.set_ends(segment.first_lane + k, tree.sigma(k), tree.sigma(k + 1));
  }
}

void BinarySolver::Work::finish(const TeamMember& member, std::span<double> rates) {
  for_segments_of(member, [&](int s) { distals[index_of(s)] = trees.distal(scans.segment_at(s).last_lane - 1); });
  meet(member, distals);
  for_segments_of(member, [&](int s) { subtract_distal(s, rates); });
}

void BinarySolver::Work::subtract_distal(int s, std::span<double> rates) const {
  const ChainSegment& segment = scans.segment_at(s);
  for (int lane = segment.first_lane; lane < segment.last_lane; ++lane) {
    const int first = plan.lanes()[index_of(lane)].first;
    if (first > scans.arm_of(s).first) {
      rates[lanes.place(first)] -= lane == segment.first_lane ? distals[index_of(s) - 1] : trees.distal(lane - 1);
    }
  }
}

RhsStatus BinarySolver::Work::status(std::span<const double> q, std::span<const double> rates) {
  double smallest = arm_pivots.front();
  for (auto node = nodes.begin(); node != nodes.end() && smallest > 0.0; ++node) {
    smallest = kernels::smaller_or_nan(smallest, node->smallest_pivot);
  }
  const int outermost = plan.tree().joint(plan.tree().size() - 1);
  const char* const reason =
      "NaN inboard of this joint, or the chain is too ill-conditioned for bodies as leaves: use leaf=subchain or a "
      "recursion; the smallest pivot is";
  if (processes != nullptr) {
    // All know the same pivots, and each its own results only.
    return smallest > 0.0 ? RhsStatus{}
                          : RhsStatus{false, mechanism->tree_joints()[index_of(outermost)].name, reason, smallest};
  }
  return lane_status(*mechanism, q, rates, smallest, outermost, reason);
}

BinarySolver::BinarySolver(const Mechanism& mechanism, ChainPlan plan, const Execution& execution)
    : work_(std::make_unique<Work>(mechanism, std::move(plan), execution)) {}
BinarySolver::~BinarySolver() = default;

RhsStatus BinarySolver::accelerations(double t, std::span<const double> q, std::span<const double> u,
                                      std::span<double> velocities, std::span<double> udot) {
  std::copy(u.begin(), u.end(), velocities.begin());
  Work& work = *work_;
  work.finite = work.processes == nullptr || all_finite(q, u);
  const std::span<const double> tau = work.loads.forces();
  work.team.run([&](const TeamMember& member) {
    if (member.index == 0 && !tau.empty()) {
      work.loads.evaluate(t, q, u);
    }
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.set_turns(*work.link_sweeps, b, q);
      work.lanes.scatter(b, u, &ChainBlock::rates, block.length);
      work.sweeps.scan_rates(work.trees.block(b));
    });
    work.for_segments_of(member, [&](int s) { work.scans.report(s, true, work.starts[index_of(s)]); });
    work.meet_starts(member, tau);  // first exchange
    work.for_segments_of(member, [&](int s) {
      work.scans.tell_rates(s, std::span<const SegmentStart>(work.starts));
      static_cast<SegmentScan&>(work.nodes[index_of(s)]) = work.starts[index_of(s)];
    });
    work.for_blocks_of(member, [&](int b, const ChainBlock& /*block*/) {
      work.set_forces(b);
      if (!tau.empty()) {
        work.set_behind(b, tau);
      }
      work.block_pivots[index_of(b - work.own.blocks.first)] = work.sweeps.assemble_accelerations(work.trees.block(b));
    });
    work.for_segments_of(member, [&](int s) { work.close_segment(s); });
    work.meet(member, work.nodes);  // second exchange
    work.close_arms(member, -work.plan.gravity());
    work.for_segments_of(member, [&](int s) { work.open_segment(member, s); });
    work.for_blocks_of(member, [&](int b, const ChainBlock& /*block*/) {
      work.sweeps.disassemble(work.trees.block(b));
      work.sweeps.accelerations(work.trees.block(b));
      work.lanes.gather(b, &ChainBlock::results, udot);
    });
    work.finish(member, udot);
  });
  return work.status(q, udot);
}

RhsStatus BinarySolver::momenta(double t, std::span<const double> q, std::span<const double> p, std::span<double> u,
                                std::span<double> pdot) {
  Work& work = *work_;
  work.finite = work.processes == nullptr || all_finite(q, p);
  work.team.run([&](const TeamMember& member) {
    if (work.processes != nullptr) {
      work.meet_starts(member, p);  // first exchange
    }
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.set_turns(*work.link_sweeps, b, q);
      work.lanes.scatter(b, p, &ChainBlock::rates, block.length);
      work.set_behind(b, p);
      work.block_pivots[index_of(b - work.own.blocks.first)] = work.sweeps.assemble_momenta(work.trees.block(b));
    });
    work.for_segments_of(member, [&](int s) {
      work.scans.report(s, false, work.nodes[index_of(s)]);
      work.close_segment(s);
    });
    work.meet(member, work.nodes);  // second exchange; of threads the first
    work.close_arms(member, Vec3::Zero());
    work.for_segments_of(member, [&](int s) {
      work.scans.tell_moments(s, std::span<const SegmentNode>(work.nodes));
      work.open_segment(member, s);
    });
    work.for_blocks_of(member, [&](int b, const ChainBlock& /*block*/) {
      work.sweeps.disassemble(work.trees.block(b));
      work.sweeps.momenta(work.trees.block(b));
      work.lanes.gather(b, &ChainBlock::results, u);
      work.lanes.gather(b, &ChainBlock::momentum_rates, pdot);
    });
    work.finish(member, u);
  });
  if (!work.loads.empty()) {  // forces such as those of dampers depend on u
    work.loads.evaluate(t, q, u);
    const std::span<const double> tau = work.loads.forces();
    std::transform(pdot.begin(), pdot.end(), tau.begin(), pdot.begin(), std::plus<>());
  }
  const RhsStatus of_u = work.status(q, u);
  return of_u.ok ? work.status(q, pdot) : of_u;
}

int BinarySolver::threads() const {
  return work_->team.size();
}

std::vector<WorkStage> BinarySolver::stages(StateKind rate_kind) const {
  const bool momenta = rate_kind == StateKind::momentum;
  const auto bodies = static_cast<double>(work_->plan.tree().size());
  const auto lanes = static_cast<double>(work_->plan.lanes().size());
  // What waits for what, as in AssemblyTree::stages: threads share whole blocks, so that more workers than blocks would
  // need a plan with shorter lanes. Operations of a leaf and of a body on the way back, of a node upward and downward,
  // and of the passes from lane to lane, which stand one after another.
  const double leaf = momenta ? 330.0 : 400.0;
  const double node = momenta ? 1120.0 : 1050.0;
  constexpr double kOpened = 210.0;
  constexpr double kBody = 220.0;
  constexpr double kLane = 60.0;
  std::vector<WorkStage> up = {{bodies, leaf}};
  std::vector<WorkStage> down;
  for (double nodes = std::ceil(bodies / 2.0);; nodes = std::ceil(nodes / 2.0)) {
    up.push_back({nodes, node});
    down.insert(down.begin(), {nodes, kOpened});
    if (nodes == 1.0) {
      break;
    }
  }
  std::vector<WorkStage> stages;
  if (!momenta) {
    for (const WorkStage& stage : up) {  // angular velocities
      stages.push_back({stage.pieces, 70.0});
    }
    stages.push_back({1.0, kLane * lanes});
    for (const WorkStage& stage : down) {
      stages.push_back({stage.pieces, 20.0});
    }
  }
  stages.insert(stages.end(), up.begin(), up.end());
  stages.push_back({1.0, kLane * lanes});
  stages.insert(stages.end(), down.begin(), down.end());
  stages.push_back({bodies, kBody});
  return stages;
}

}  // namespace mbdbench
