#include "formulations/subchains/segments/segment_closing.hpp"

#include <algorithm>

#include "formulations/kernels/chains/turns.hpp"
#include "formulations/options/gauge_option.hpp"
#include "formulations/subchains/segments/segment_scans.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

using kernels::Row;

bool scans_outward(ClosingKind kind) {
  return kind != ClosingKind::velocities && kind != ClosingKind::tangent;
}

bool has_new_matrices(ClosingKind kind) {
  return kind == ClosingKind::accelerations || kind == ClosingKind::velocities || kind == ClosingKind::impulses;
}

/// Accelerations follow after `rates` with the same scans.
bool has_new_scans(ClosingKind kind) {
  return kind == ClosingKind::rates || kind == ClosingKind::velocities || kind == ClosingKind::impulses;
}

/// \returns a vector at the far end of a scan from one at its near end.
Vec3 carried(const TurnScan<double>& scan, const kernels::LinkVector<double>& vector) {
  return turn_of(scan) * vector_of(vector) + vector_of(scan.carried);
}

/// What stretches A (proximal) and B do one after the other to vectors that cross both.
void join_scans(const SegmentReport& a, const SegmentReport& b, bool outward, SegmentReport& joined) {
  const SegmentReport& first = outward ? a : b;
  const SegmentReport& second = outward ? b : a;
  const Mat3 turn = turn_of(second.scan) * turn_of(first.scan);
  joined.scan = {plain(turn.col(0)), plain(turn.col(1)), plain(carried(second.scan, first.scan.carried))};
  joined.first_turn = a.first_turn;
}

/// The way over both, and what both move their end with. \param outward how the scans turn
void join_ways(const SegmentReport& a, const SegmentReport& b, bool outward, SegmentReport& joined) {
  const Vec3 lever = vector_of(b.lever);
  const Mat3 turn = turn_of(a.scan);
  joined.lever = plain(vector_of(a.lever) + (outward ? turn.transpose() : turn) * lever);
  if (outward) {
    const Vec3 drift = vector_of(a.drift) + vector_of(a.scan.carried).cross(lever);
    joined.drift = plain(turn_of(b.scan) * drift + vector_of(b.drift));
  }
}

}  // namespace

SegmentClosing::SegmentClosing(const Mechanism& mechanism, const ChainPlan& plan, const SegmentTree& tree,
                               const ChainSweeps& sweeps, std::span<SegmentReport> reports)
    : mechanism_(&mechanism),
      plan_(&plan),
      tree_(&tree),
      sweeps_(&sweeps),
      segments_(reports),
      joined_(tree.stretches().size() - reports.size()),
      joints_(joined_.size()),
      answers_(tree.stretches().size()) {
  if (plan.cut()) {
    loop_.emplace(mechanism, plan);
    verdict_.redundant_rows = loop_->redundant_rows();
  }
}

SegmentReport& SegmentClosing::report(int stretch) {
  const int segments = tree_->segments();
  return stretch < segments ? segments_[index_of(stretch)] : joined_[index_of(stretch - segments)];
}

void SegmentClosing::close(const ClosingPass& pass) {
  const int count = static_cast<int>(tree_->stretches().size());
  for (int k = tree_->segments(); k < count; ++k) {
    join(pass, k);
  }
  answer_arms(pass);
  for (int k = count; k-- > tree_->segments();) {
    open(pass, k);
  }
}

void SegmentClosing::join(const ClosingPass& pass, int stretch) {
  const SegmentReport& a = report(tree_->at(stretch).inboard);
  const SegmentReport& b = report(tree_->at(stretch).outboard);
  if (has_new_scans(pass.kind)) {
    const bool outward = scans_outward(pass.kind);
    join_scans(a, b, outward, report(stretch));
    if (loop_ && pass.kind != ClosingKind::rates) {
      join_ways(a, b, outward, report(stretch));
    }
  }
  if (has_new_matrices(pass.kind)) {
    join_nodes(stretch, a, b);
  } else if (pass.kind != ClosingKind::rates) {
    join_right_sides(stretch, a, b);
  }
}

void SegmentClosing::join_nodes(int stretch, const SegmentReport& a, const SegmentReport& b) {
  const bool goes_on = tree_->at(stretch).goes_on;
  SegmentReport& joined = report(stretch);
  Joint& joint = joint_of(stretch);
  joint.inboard = node_of(a);
  joined.node = b.node;
  sweeps_->close(joint.inboard, joined.node, joint.handle);
  if (goes_on) {
    joined.tip = b.tip;
    sweeps_->close_tip(joint.inboard, joint.handle, joined.tip, joint.tip);
  }
  joined.smallest_pivot = kernels::smaller_or_nan(a.smallest_pivot, b.smallest_pivot);
}

void SegmentClosing::join_right_sides(int stretch, const SegmentReport& a, const SegmentReport& b) {
  const bool goes_on = tree_->at(stretch).goes_on;
  SegmentReport& joined = report(stretch);
  Joint& joint = joint_of(stretch);
  joint.inboard.wrench = a.node.wrench;
  joined.node.wrench = b.node.wrench;
  for (std::size_t i = 0; i < 6; ++i) {
    joint.inboard.free.at[i] = -a.tip.compliance[i].at[6];
    joined.tip.compliance[i].at[6] = b.tip.compliance[i].at[6];
  }
  close_handle_again(joint.inboard, joint.handle, joint.tip, joined.node.wrench, goes_on ? &joined.tip : nullptr);
  joined.fastest = std::max(a.fastest, b.fastest);
}

void SegmentClosing::answer_arms(const ClosingPass& pass) {
  for (std::size_t a = 0; a < plan_->arms().size(); ++a) {
    answer_arm(a, pass, first_link_axes(*plan_, static_cast<int>(a), report(tree_->whole(a)).first_turn));
  }
  if (pass.kind == ClosingKind::rates) {
    return;
  }
  verdict_.smallest_pivot = report(tree_->whole(0)).smallest_pivot;
  for (std::size_t a = 1; a < plan_->arms().size(); ++a) {
    verdict_.smallest_pivot = kernels::smaller_or_nan(verdict_.smallest_pivot, report(tree_->whole(a)).smallest_pivot);
  }
  if (loop_) {
    solve_loop(pass);
  }
}

Vec3 SegmentClosing::base_motion(ClosingKind kind) const {
  const bool accelerates = kind == ClosingKind::accelerations || kind == ClosingKind::accelerations_again;
  return accelerates ? Vec3(-plan_->gravity()) : Vec3(Vec3::Zero());
}

void SegmentClosing::answer_arm(std::size_t arm, const ClosingPass& pass, const Mat3& axes) {
  StretchAnswer& answer = answers_[index_of(tree_->whole(arm))];
  answer.gravity = plain(axes.transpose() * plan_->gravity());
  const Vec3 motion = axes.transpose() * base_motion(pass.kind);
  answer.motion = Row{{motion.x(), motion.y(), motion.z(), 0.0, 0.0, 0.0, 0.0, 0.0}};
}

void SegmentClosing::solve_loop(const ClosingPass& pass) {
  for (const std::size_t e : {0U, 1U}) {
    set_end(e, pass.kind);
    if (pass.kind == ClosingKind::impulses) {
      add_motion(e);
    }
  }
  switch (pass.kind) {
    case ClosingKind::rates:
      break;
    case ClosingKind::accelerations:
      loop_->solve_accelerations();
      break;
    case ClosingKind::accelerations_again:
      loop_->solve_accelerations_again();
      break;
    case ClosingKind::velocities:
      loop_->solve_velocities(pass.leak);
      break;
    case ClosingKind::impulses:
      loop_->solve_impulses();
      break;
    case ClosingKind::tangent: {
      double fastest = 0.0;
      for (std::size_t a = 0; a < plan_->arms().size(); ++a) {
        fastest = std::max(fastest, report(tree_->whole(a)).fastest);
      }
      loop_->solve_tangent(tangent_leak(pass.leak, *mechanism_, fastest));
      break;
    }
  }
  for (const std::size_t e : {0U, 1U}) {
    if (const int arm = (*plan_->cut())[e].arm; arm >= 0) {
      StretchAnswer& answer = answers_[index_of(tree_->whole(index_of(arm)))];
      Vec6::Map(answer.wrench.at) = loop_->end(e).wrench;
      Vec6::Map(answer.load.at) = loop_->end(e).load;
    }
  }
  verdict_.largest_multiplier = loop_->multipliers().lpNorm<Eigen::Infinity>();
  verdict_.redundant_rows = loop_->redundant_rows();
}

void SegmentClosing::set_end(std::size_t which, ClosingKind kind) {
  LoopClosure::End& end = loop_->end(which);
  const int a = (*plan_->cut())[which].arm;
  if (a < 0) {
    end.free.head<3>() = base_motion(kind);
    end.free.tail<3>().setZero();
    return;
  }
  const auto arm = index_of(a);
  const SegmentReport& whole = report(tree_->whole(arm));
  const Mat3 axes = first_link_axes(*plan_, a, whole.first_turn);
  const Mat3 turn = turn_of(whole.scan);
  end.origin = plan_->start_origin(a) + axes * vector_of(whole.lever);
  if (scans_outward(kind)) {
    end.rotation = axes * turn.transpose();
    end.omega = vector_of(whole.scan.carried);
  } else {
    end.rotation = axes * turn;
    end.omega.setZero();
  }
  const Row& base = answers_[index_of(tree_->whole(arm))].motion;
  for (int i = 0; i < 6; ++i) {
    end.compliance.row(i) = Eigen::Matrix<double, 1, 6>::Map(whole.tip.compliance[i].at);
    end.free[i] = -whole.tip.compliance[i].at[6];
  }
  for (int m = 0; m < 6; ++m) {
    end.free.noalias() += base.at[m] * Vec6::Map(whole.tip.wrench[m].at);
  }
}

void SegmentClosing::add_motion(std::size_t which) {
  if (const int a = (*plan_->cut())[which].arm; a >= 0) {
    const SegmentReport& whole = report(tree_->whole(index_of(a)));
    loop_->end(which).free.head<3>() += vector_of(whole.drift);
    loop_->end(which).free.tail<3>() += vector_of(whole.scan.carried);
  }
}

void SegmentClosing::open(const ClosingPass& pass, int stretch) {
  const Stretch& one = tree_->at(stretch);
  const StretchAnswer& known = answers_[index_of(stretch)];
  StretchAnswer& a = answers_[index_of(one.inboard)];
  StretchAnswer& b = answers_[index_of(one.outboard)];
  const SegmentReport& of_a = report(one.inboard);
  const SegmentReport& of_b = report(one.outboard);
  if (pass.kind == ClosingKind::rates) {
    a.omega = known.omega;
    b.omega = plain(carried(of_a.scan, known.omega));
    return;
  }
  if (!scans_outward(pass.kind)) {
    b.moment = known.moment;
    a.moment = plain(carried(of_b.scan, known.moment));
    a.gravity = known.gravity;
    b.gravity = plain(turn_of(of_a.scan).transpose() * vector_of(known.gravity));
    b.load = known.load;
    Vec6::Map(a.load.at) = carried_inward(turn_of(of_b.scan), vector_of(of_b.lever), Vec6::Map(known.load.at));
  }
  if (pass.kind == ClosingKind::tangent) {
    return;
  }
  const Joint& joint = joint_of(stretch);
  a.motion = known.motion;
  b.wrench = known.wrench;
  if (one.goes_on) {
    sweeps_->open_with_tip(joint.inboard, joint.handle, joint.tip, known.wrench, known.motion, b.motion, a.wrench);
  } else {
    sweeps_->open(joint.inboard, joint.handle, known.motion, b.motion, a.wrench);
  }
}

}  // namespace mbdbench
