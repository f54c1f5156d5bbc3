#include "formulations/recursion/cut_rows.hpp"

#include <algorithm>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

std::vector<CutBodies> cut_bodies(const Mechanism& mechanism) {
  std::vector<CutBodies> ends;
  for (const Joint& cut : mechanism.cut_joints()) {
    ends.push_back({cut.a, cut.b});
  }
  return ends;
}

}  // namespace

std::string_view name_of_first_row(const Mechanism& mechanism) {
  return mechanism.cut_joints().empty() ? mechanism.couplings().front().name : mechanism.cut_joints().front().name;
}

std::vector<std::size_t> rows_of_one_unit(const Mechanism& mechanism) {
  std::vector<std::size_t> groups;
  std::size_t group = 0;
  for (const Joint& cut : mechanism.cut_joints()) {
    groups.insert(groups.end(), index_of(cut.linear_rows()), group++);
    groups.insert(groups.end(), index_of(cut.nc - cut.linear_rows()), group++);
  }
  for (std::size_t coupling = 0; coupling < mechanism.couplings().size(); ++coupling) {
    groups.push_back(group++);
  }
  return groups;
}

CutRows::CutRows(const Mechanism& mechanism, BaumgarteConstants baumgarte)
    : mechanism_(&mechanism),
      baumgarte_(baumgarte),
      rows_(mechanism, mechanism, cut_bodies(mechanism), mechanism.couplings()),
      a_(Eigen::MatrixXd::Zero(mechanism.closing_row_count(), mechanism.closing_row_count())),
      smallest_diagonal_(Eigen::VectorXd::Zero(mechanism.closing_row_count())),
      multipliers_(Eigen::VectorXd::Zero(mechanism.closing_row_count())),
      open_(mechanism.couplings().size()),
      solver_(rows_of_one_unit(mechanism)) {
  for (const Joint& joint : mechanism.tree_joints()) {
    for (const JointMotion& motion : joint.motions) {
      prescribed_.push_back(joint.u_offset + motion.component);
    }
  }
  if (!empty()) {
    generic_rank_ = mechanism.generic_rank().rank - mechanism.motion_row_count();
  }
}

RhsStatus CutRows::set_positions(const BodyRecursion& tree, std::span<const double> q) {
  if (empty()) {
    return {};
  }
  for (std::size_t i = 0; i < open_.size(); ++i) {
    open_[i] = mechanism_->couplings()[i].residual(q);
  }
  a_.setZero();
  smallest_diagonal_.setZero();
  rows_.carry(tree, tree.kinematics().cut_joints(), a_, smallest_diagonal_);
  if (!solver_.decompose(a_, smallest_diagonal_, generic_rank_)) {
    return {false, name_of_first_row(*mechanism_), "the matrix of the cut joints is not finite, its trace is",
            a_.trace()};
  }
  return {};
}

void CutRows::set_acceleration_right_side(const BodyRecursion& tree) {
  const Kinematics& kinematics = tree.kinematics();
  for (std::size_t c = 0; c < mechanism_->cut_joints().size(); ++c) {
    const Joint& joint = mechanism_->cut_joints()[c];
    set_cut_right_side(joint, kinematics.cut_joint(static_cast<int>(c)), cut_end(kinematics, joint.a),
                       cut_end(kinematics, joint.b), baumgarte_, multipliers_);
    if (!joint.driven.empty()) {
      add_drive_right_side(joint, kinematics.cut_joint(static_cast<int>(c)), tree.motions(), baumgarte_, multipliers_);
    }
  }
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const Coupling& coupling = mechanism_->couplings()[i];
    multipliers_[mechanism_->cut_row_count() + static_cast<int>(i)] = -prescribed_rate(coupling, tree.accelerations()) -
                                                                      2.0 * baumgarte_.alpha * coupling.rate(tree.u()) -
                                                                      baumgarte_.beta * baumgarte_.beta * open_[i];
  }
}

double CutRows::prescribed_rate(const Coupling& coupling, std::span<const double> rates) const {
  double sum = 0.0;
  for (const Coupling::Term& term : coupling.terms) {
    if (std::find(prescribed_.begin(), prescribed_.end(), term.u) != prescribed_.end()) {
      sum += term.factor * rates[index_of(term.u)];
    }
  }
  return sum;
}

void CutRows::close(BodyRecursion& tree) {
  rows_.subtract_free_rates(tree, multipliers_);
  solver_.solve(multipliers_);
  rows_.add_rates(multipliers_, tree);
}

void CutRows::close_accelerations(BodyRecursion& tree) {
  if (!empty()) {
    set_acceleration_right_side(tree);
    close(tree);
  }
}

void CutRows::close_velocities(BodyRecursion& tree) {
  if (!empty()) {
    multipliers_.setZero();
    for (const Joint& joint : mechanism_->cut_joints()) {
      for (const DrivenRow& driven : joint.driven) {
        multipliers_[joint.row_offset + driven.row] = tree.motions().velocities()[index_of(driven.place)];
      }
    }
    for (std::size_t i = 0; i < open_.size(); ++i) {
      multipliers_[mechanism_->cut_row_count() + static_cast<int>(i)] =
          -prescribed_rate(mechanism_->couplings()[i], tree.u());
    }
    close(tree);
  }
}

Vec6 CutRows::wrench(const BodyRecursion& tree, int c) const {
  const Joint& joint = mechanism_->cut_joints()[index_of(c)];
  return tree.kinematics().cut_joint(c).d * multipliers_.segment(joint.row_offset, joint.nc);
}

}  // namespace mbdbench
