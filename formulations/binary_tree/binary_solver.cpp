#include "formulations/binary_tree/binary_solver.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "formulations/binary_tree/binary_lanes.hpp"
#include "formulations/binary_tree/node_tree.hpp"
#include "formulations/subchains/chain_team.hpp"
#include "formulations/subchains/instruction_set.hpp"
#include "formulations/subchains/lane_failure.hpp"

namespace mbdbench {
namespace {

using kernels::kHandleRows;
using Node = kernels::TwoHandles<double>;

/// \returns those of the instruction set in use.
BinarySweeps binary_sweeps_in_use() {
#if defined(__x86_64__)
  const std::string_view name = instruction_set().name;
  return name == "avx512" ? avx512_binary_sweeps() : name == "avx2" ? avx2_binary_sweeps() : baseline_binary_sweeps();
#else
  return baseline_binary_sweeps();
#endif
}

/// The proximal handle of a segment to the frame before its joint's angle (subchains/handle_turn.hpp).
void turn_proximal_back(const JointTurn& turn, Node& node) {
  constexpr int kBoth = 2 * kHandleRows;
  double full[kBoth][kBoth];
  for (int i = 0; i < kBoth; ++i) {
    for (int j = 0; j <= i; ++j) {
      full[i][j] = full[j][i] = node.matrix[kernels::triangle(i) + j];
    }
  }
  for (const int first : {0, 3}) {
    for (auto& row : full) {
      turn_back(turn, row[first], row[first + 1]);
    }
    turn_back(turn, node.right[first], node.right[first + 1]);
  }
  for (const int first : {0, 3}) {
    for (int j = 0; j < kBoth; ++j) {
      turn_back(turn, full[first][j], full[first + 1][j]);
    }
  }
  for (int i = 0; i < kBoth; ++i) {
    std::copy(full[i], full[i] + i + 1, node.matrix + kernels::triangle(i));
  }
}

/// The handle to the ground [Chadaj2015, Eq. (29)]: xi_11 sigma + xi_10 = D^T V of the ground. \param motion linear
/// \param sigma receives it
void close_ground(const Node& node, const Vec3& motion, double* sigma, double& smallest) {
  double matrix[kernels::triangle(kHandleRows)];
  std::copy(std::begin(node.matrix), std::begin(node.matrix) + kernels::triangle(kHandleRows), matrix);
  kernels::HandleFactor<double> factor{};
  kernels::factorise_handle(matrix, factor, smallest);
  double right[kHandleRows] = {node.right[0] - motion.x(), node.right[1] - motion.y(), node.right[2] - motion.z(),
                               node.right[3], node.right[4]};
  kernels::eliminate(factor, right);
  for (int k = 0; k < kHandleRows; ++k) {
    right[k] *= factor.inverse[k];
  }
  kernels::substitute_back(factor, right);
  std::copy(right, right + kHandleRows, sigma);
}

}  // namespace

struct BinarySolver::Work : ChainTeam {
  Work(const Mechanism& of, ChainPlan given_plan, int given_threads);

  /// Lanes of a segment to one node.
  void close_segment(int s);
  /// Segments of all arms, and the ground. \param base its motion, world axes
  void close_arms(int member, const Vec3& base);
  void open_segment(int member, int s);
  /// The first link of every lane turns against the last one of the lane before it.
  void subtract_distal(int s, std::span<double> rates) const;
  [[nodiscard]] RhsStatus status(std::span<const double> q, std::span<const double> rates);

  const Mechanism* mechanism;
  const ChainSweeps* link_sweeps;
  BinarySweeps sweeps;
  BinaryLanes trees;
  std::vector<NodeTree> segment_trees;
  std::vector<Node> segment_nodes;
  std::vector<SegmentScan> reports;
  std::vector<std::vector<NodeTree>> arm_trees;  // every member closes all arms for itself
  std::vector<double> block_pivots;
  std::vector<double> segment_pivots;
  std::vector<double> arm_pivots;  // one a member
};

BinarySolver::Work::Work(const Mechanism& of, ChainPlan given_plan, int given_threads)
    : ChainTeam(of, std::move(given_plan), given_threads, nullptr),
      mechanism(&of),
      link_sweeps(&instruction_set().sweeps),
      sweeps(binary_sweeps_in_use()),
      trees(plan, lanes),
      segment_nodes(plan.segments().size()),
      reports(plan.segments().size()),
      arm_trees(index_of(team.size())),
      block_pivots(index_of(plan.division().blocks)),
      segment_pivots(plan.segments().size()),
      arm_pivots(arm_trees.size()) {
  for (const ChainSegment& segment : plan.segments()) {
    segment_trees.emplace_back(segment.last_lane - segment.first_lane);
  }
  for (std::vector<NodeTree>& arms : arm_trees) {
    for (const ChainArm& arm : plan.arms()) {
      arms.emplace_back(arm.last_segment - arm.first_segment);
    }
  }
}

void BinarySolver::Work::close_segment(int s) {
  const ChainSegment& segment = scans.segment_at(s);
  NodeTree& tree = segment_trees[index_of(s)];
  for (int lane = segment.first_lane; lane < segment.last_lane; ++lane) {
    tree.leaf(lane - segment.first_lane) = trees.node(lane);
  }
  double smallest = 1e300;
  segment_nodes[index_of(s)] = tree.close(smallest);
  segment_pivots[index_of(s)] = smallest;
  if (scans.has_inboard(s)) {
    turn_proximal_back(scans.first_turn(segment), segment_nodes[index_of(s)]);
  }
}

void BinarySolver::Work::close_arms(int member, const Vec3& base) {
  double smallest = 1e300;
  for (std::size_t a = 0; a < plan.arms().size(); ++a) {
    const ChainArm& arm = plan.arms()[a];
    NodeTree& tree = arm_trees[index_of(member)][a];
    for (int s = arm.first_segment; s < arm.last_segment; ++s) {
      tree.leaf(s - arm.first_segment) = segment_nodes[index_of(s)];
    }
    const Mat3 axes = first_link_axes(plan, std::span<const SegmentScan>(reports), static_cast<int>(a));
    close_ground(tree.close(smallest), axes.transpose() * base, tree.sigma(0), smallest);
    std::fill_n(tree.sigma(arm.last_segment - arm.first_segment), kHandleRows, 0.0);
    tree.open();
  }
  arm_pivots[index_of(member)] = smallest;
}

void BinarySolver::Work::open_segment(int member, int s) {
  const ChainSegment& segment = scans.segment_at(s);
  NodeTree& arm = arm_trees[index_of(member)][index_of(segment.arm)];
  NodeTree& tree = segment_trees[index_of(s)];
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

void BinarySolver::Work::subtract_distal(int s, std::span<double> rates) const {
  const ChainSegment& segment = scans.segment_at(s);
  for (int lane = segment.first_lane; lane < segment.last_lane; ++lane) {
    const int first = plan.lanes()[index_of(lane)].first;
    if (first > scans.arm_of(s).first) {
      rates[index_of(plan.coordinates()[index_of(first)])] -= trees.distal(lane - 1);
    }
  }
}

RhsStatus BinarySolver::Work::status(std::span<const double> q, std::span<const double> rates) {
  double smallest = arm_pivots.front();
  for (const auto& pivots : {std::span<const double>(block_pivots), std::span<const double>(segment_pivots)}) {
    for (const double pivot : pivots) {
      smallest = pivot >= smallest ? smallest : pivot;
    }
  }
  return lane_status(*mechanism, q, rates, smallest, plan.tree().joint(plan.tree().size() - 1),
                     "something inboard of the joint is no number, or a half of the chain gives way by less than "
                     "rounding, so that its inverse inertia is lost (leaf=subchain and the recursions take it); the "
                     "smallest pivot is");
}

BinarySolver::BinarySolver(const Mechanism& mechanism, ChainPlan plan, int threads)
    : work_(std::make_unique<Work>(mechanism, std::move(plan), threads)) {}
BinarySolver::~BinarySolver() = default;

RhsStatus BinarySolver::accelerations(double t, std::span<const double> q, std::span<const double> u,
                                      std::span<double> udot) {
  Work& work = *work_;
  const std::span<const SegmentScan> reports = work.reports;
  work.team.run([&](int member) {
    if (member == 0 && work.loads.in_joints()) {
      work.loads.evaluate(t, q, u, work.plan.tree(), work.positions);
    }
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.set_turns(*work.link_sweeps, b, q);
      work.lanes.scatter(b, u, &ChainBlock::rates, block.length);
      work.sweeps.scan_rates(work.trees.block(b));
    });
    work.for_segments_of(member, [&](int s) { work.scans.report(s, true, work.reports[index_of(s)]); });
    work.team.barrier();
    work.for_segments_of(member, [&](int s) { work.scans.tell_rates(s, reports); });
    work.for_blocks_of(member, [&](int b, const ChainBlock& /*block*/) {
      work.set_forces(b);
      if (work.loads.in_joints()) {
        work.trees.set_behind(b, work.loads.joint_forces());
      }
      work.block_pivots[index_of(b)] = work.sweeps.assemble_accelerations(work.trees.block(b));
    });
    work.for_segments_of(member, [&](int s) { work.close_segment(s); });
    work.team.barrier();
    work.close_arms(member, -work.plan.gravity());
    work.for_segments_of(member, [&](int s) { work.open_segment(member, s); });
    work.for_blocks_of(member, [&](int b, const ChainBlock& /*block*/) {
      work.sweeps.disassemble(work.trees.block(b));
      work.sweeps.accelerations(work.trees.block(b));
      work.lanes.gather(b, &ChainBlock::results, udot);
    });
    work.team.barrier();
    work.for_segments_of(member, [&](int s) { work.subtract_distal(s, udot); });
  });
  return work.status(q, udot);
}

RhsStatus BinarySolver::momenta(double t, std::span<const double> q, std::span<const double> p, double /*leak*/,
                                std::span<double> u, std::span<double> pdot) {
  Work& work = *work_;
  const std::span<const SegmentScan> reports = work.reports;
  work.team.run([&](int member) {
    work.for_blocks_of(member, [&](int b, const ChainBlock& block) {
      work.set_turns(*work.link_sweeps, b, q);
      work.lanes.scatter(b, p, &ChainBlock::rates, block.length);
      work.trees.set_behind(b, p);
      work.block_pivots[index_of(b)] = work.sweeps.assemble_momenta(work.trees.block(b));
    });
    work.for_segments_of(member, [&](int s) {
      work.scans.report(s, false, work.reports[index_of(s)]);
      work.close_segment(s);
    });
    work.team.barrier();  // the only exchange
    work.close_arms(member, Vec3::Zero());
    work.for_segments_of(member, [&](int s) {
      work.scans.tell_moments(s, reports);
      work.open_segment(member, s);
    });
    work.for_blocks_of(member, [&](int b, const ChainBlock& /*block*/) {
      work.sweeps.disassemble(work.trees.block(b));
      work.sweeps.momenta(work.trees.block(b));
      work.lanes.gather(b, &ChainBlock::results, u);
      work.lanes.gather(b, &ChainBlock::momentum_rates, pdot);
    });
    work.team.barrier();
    work.for_segments_of(member, [&](int s) { work.subtract_distal(s, u); });
  });
  if (work.loads.in_joints()) {  // forces such as those of dampers depend on u
    work.loads.evaluate(t, q, u, work.plan.tree(), work.positions);
    const std::span<const double> tau = work.loads.joint_forces();
    std::transform(pdot.begin(), pdot.end(), tau.begin(), pdot.begin(), std::plus<>());
  }
  const RhsStatus of_u = work.status(q, u);
  return of_u.ok ? work.status(q, pdot) : of_u;
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
