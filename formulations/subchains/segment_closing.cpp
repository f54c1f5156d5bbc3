#include "formulations/subchains/segment_closing.hpp"

#include "formulations/subchains/segment_scans.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

using kernels::Row;

}  // namespace

SegmentClosing::SegmentClosing(const Mechanism& mechanism, const ChainPlan& plan, const ChainSweeps& sweeps)
    : plan_(&plan),
      sweeps_(&sweeps),
      chain_(plan.segments().size()),
      tips_(plan.arms().size()),
      bases_(plan.arms().size()) {
  if (plan.cut()) {
    loop_.emplace(mechanism, plan);
  }
}

void SegmentClosing::assemble(std::span<const SegmentReport> reports, const Vec3& base) {
  for (std::size_t a = 0; a < plan_->arms().size(); ++a) {
    const ChainArm& arm = plan_->arms()[a];
    const SegmentReport& last = reports[index_of(arm.last_segment - 1)];
    if (arm.at_cut) {
      tips_[a] = last.tip;
    }
    if (arm.last_segment > arm.first_segment + 1) {
      for (int s = arm.first_segment; s < arm.last_segment - 1; ++s) {
        chain_.nodes()[s] = node_of(reports[index_of(s)]);
      }
      kernels::OutboardNode outboard = last.node;
      chain_.close(*sweeps_, index_of(arm.first_segment), index_of(arm.last_segment), outboard,
                   arm.at_cut ? &tips_[a] : nullptr);
    }
    set_base(a, reports, base);
  }
}

void SegmentClosing::set_base(std::size_t arm, std::span<const SegmentReport> reports, const Vec3& base) {
  const Vec3 motion = first_link_axes(*plan_, reports, static_cast<int>(arm)).transpose() * base;
  bases_[arm] = Row{{motion.x(), motion.y(), motion.z(), 0.0, 0.0, 0.0, 0.0, 0.0}};
}

void SegmentClosing::assemble_again(std::span<const SegmentReport> reports, const Vec3& base) {
  for (std::size_t a = 0; a < plan_->arms().size(); ++a) {
    const ChainArm& arm = plan_->arms()[a];
    for (int s = arm.first_segment; s < arm.last_segment; ++s) {
      const SegmentReport& report = reports[index_of(s)];
      chain_.nodes()[s].wrench = report.node.wrench;
      for (std::size_t i = 0; i < 6; ++i) {
        chain_.nodes()[s].free.at[i] = -report.tip.compliance[i].at[6];
      }
    }
    Row wrench{};
    chain_.begin_again(index_of(arm.last_segment - 1), wrench, arm.at_cut ? &tips_[a] : nullptr);
    chain_.close_again(index_of(arm.first_segment), index_of(arm.last_segment), wrench,
                       arm.at_cut ? &tips_[a] : nullptr);
    set_base(a, reports, base);
  }
}

void SegmentClosing::disassemble() {
  for (std::size_t a = 0; a < plan_->arms().size(); ++a) {
    const ChainArm& arm = plan_->arms()[a];
    Row wrench{};
    for (std::size_t e = 0; e < 2 && arm.at_cut; ++e) {
      if ((*plan_->cut())[e].arm == static_cast<int>(a)) {
        Vec6::Map(wrench.at) = loop_->end(e).wrench;
      }
    }
    chain_.open(*sweeps_, index_of(arm.first_segment), index_of(arm.last_segment), bases_[a], wrench, arm.at_cut);
  }
}

void SegmentClosing::set_end(std::size_t which, std::span<const SegmentReport> reports, const Vec3& base,
                             bool outward_scans) {
  LoopClosure::End& end = loop_->end(which);
  const int a = (*plan_->cut())[which].arm;
  if (a < 0) {
    end.free.head<3>() = base;
    return;
  }
  const ChainArm& arm = plan_->arms()[index_of(a)];
  end.rotation = first_link_axes(*plan_, reports, a);
  end.origin = plan_->start_origin(a);
  end.omega.setZero();
  for (int s = arm.first_segment; s < arm.last_segment; ++s) {
    const TurnScan<double>& scan = reports[index_of(s)].scan;
    const Mat3 turn = turn_of(scan);
    end.origin += end.rotation * vector_of(reports[index_of(s)].lever);
    if (outward_scans) {
      end.omega = (turn * end.omega + vector_of(scan.carried)).eval();
      end.rotation = (end.rotation * turn.transpose()).eval();
    } else {
      end.rotation = (end.rotation * turn).eval();
    }
  }
  const kernels::TipRows& tip = tips_[index_of(a)];
  for (int i = 0; i < 6; ++i) {
    end.compliance.row(i) = Eigen::Matrix<double, 1, 6>::Map(tip.compliance[i].at);
    end.free[i] = -tip.compliance[i].at[6];
  }
  for (int m = 0; m < 6; ++m) {
    end.free.noalias() += bases_[index_of(a)].at[m] * Vec6::Map(tip.wrench[m].at);
  }
}

void SegmentClosing::close_accelerations(std::span<const SegmentReport> reports) {
  const Vec3 base = -plan_->gravity();
  assemble(reports, base);
  if (loop_) {
    set_end(0, reports, base, true);
    set_end(1, reports, base, true);
    loop_->solve_accelerations();
  }
  disassemble();
}

void SegmentClosing::close_accelerations_again(std::span<const SegmentReport> reports) {
  const Vec3 base = -plan_->gravity();
  assemble_again(reports, base);
  set_end(0, reports, base, true);
  set_end(1, reports, base, true);
  loop_->solve_accelerations_again();
  disassemble();
}

void SegmentClosing::close_velocities(std::span<const SegmentReport> reports, double leak) {
  assemble(reports, Vec3::Zero());
  if (loop_) {
    set_end(0, reports, Vec3::Zero(), false);
    set_end(1, reports, Vec3::Zero(), false);
    loop_->solve_velocities(leak);
  }
  disassemble();
}

void SegmentClosing::close_projection(std::span<const SegmentReport> reports) {
  assemble(reports, Vec3::Zero());
  for (const std::size_t e : {0U, 1U}) {
    set_end(e, reports, Vec3::Zero(), true);
    add_motion(e, reports);
  }
  loop_->solve_impulses();
  disassemble();
}

void SegmentClosing::add_motion(std::size_t which, std::span<const SegmentReport> reports) {
  const int a = (*plan_->cut())[which].arm;
  Vec3 linear = Vec3::Zero();
  Vec3 angular = Vec3::Zero();
  for (int s = a < 0 ? 0 : plan_->arms()[index_of(a)].first_segment;
       a >= 0 && s < plan_->arms()[index_of(a)].last_segment; ++s) {
    const SegmentReport& report = reports[index_of(s)];
    const Mat3 turn = turn_of(report.scan);
    linear = (turn * (linear + angular.cross(vector_of(report.lever))) + vector_of(report.drift)).eval();
    angular = (turn * angular + vector_of(report.scan.carried)).eval();
  }
  loop_->end(which).free.head<3>() += linear;
  loop_->end(which).free.tail<3>() += angular;
}

void SegmentClosing::close_tangent(std::span<const SegmentReport> reports, double kappa) {
  assemble_again(reports, Vec3::Zero());
  set_end(0, reports, Vec3::Zero(), false);
  set_end(1, reports, Vec3::Zero(), false);
  loop_->solve_tangent(kappa);
}

Vec6 SegmentClosing::outboard_load(std::span<const SegmentReport> reports, int segment) const {
  const int a = plan_->segments()[index_of(segment)].arm;
  Vec6 load = Vec6::Zero();
  for (std::size_t e = 0; e < 2 && loop_; ++e) {
    if ((*plan_->cut())[e].arm == a) {
      load = loop_->end(e).load;
    }
  }
  for (int s = plan_->arms()[index_of(a)].last_segment - 1; s > segment; --s) {
    const SegmentReport& report = reports[index_of(s)];
    load = carried_inward(turn_of(report.scan), vector_of(report.lever), load);
  }
  return load;
}

}  // namespace mbdbench
