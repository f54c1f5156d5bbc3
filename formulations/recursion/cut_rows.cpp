#include "formulations/recursion/cut_rows.hpp"

#include <array>
#include <limits>

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

std::vector<std::size_t> rows_of_one_unit(const Mechanism& mechanism) {
  std::vector<std::size_t> groups;
  std::size_t group = 0;
  for (const Joint& cut : mechanism.cut_joints()) {
    groups.insert(groups.end(), index_of(cut.linear_rows()), group++);
    groups.insert(groups.end(), index_of(cut.nc - cut.linear_rows()), group++);
  }
  return groups;
}

CutRows::CutRows(const Mechanism& mechanism, BaumgarteConstants baumgarte)
    : mechanism_(&mechanism),
      baumgarte_(baumgarte),
      rows_(mechanism, mechanism.cut_joints(), cut_bodies(mechanism)),
      a_(Eigen::MatrixXd::Zero(mechanism.cut_row_count(), mechanism.cut_row_count())),
      smallest_diagonal_(Eigen::VectorXd::Zero(mechanism.cut_row_count())),
      multipliers_(Eigen::VectorXd::Zero(mechanism.cut_row_count())),
      active_(index_of(mechanism.cut_row_count()), true),
      solver_(rows_of_one_unit(mechanism)) {
  if (!empty()) {
    generic_rank_ = mechanism.generic_rank().rank - mechanism.motion_row_count();
  }
}

RhsStatus CutRows::set_positions(const BodyRecursion& tree) {
  if (empty()) {
    return {};
  }
  a_.setZero();
  for (Eigen::Index row = 0; row < smallest_diagonal_.size(); ++row) {
    // No diagonal entry is above infinity: the row counts as zero and its multiplier stays zero.
    smallest_diagonal_[row] = active_[static_cast<std::size_t>(row)] ? 0.0 : std::numeric_limits<double>::infinity();
  }
  rows_.carry(tree, tree.kinematics().cut_joints(), a_, smallest_diagonal_);
  if (!solver_.decompose(a_, smallest_diagonal_, generic_rank_)) {
    return {false, mechanism_->cut_joints().front().name, "the matrix of the cut joints is not finite, its trace is",
            a_.trace()};
  }
  return {};
}

void CutRows::add_drives(const Joint& joint, const JointKinematics& state, const PrescribedMotions& motions) {
  std::array<double, 6> closed{};
  closure_residual(joint, state.axes_a, state.axes_b, state.displacement, closed);
  std::array<double, 6> driven = closed;
  drive_residual(joint, motions.positions(), driven);
  for (const DrivenRow& drive : joint.driven) {
    const std::size_t row = index_of(drive.row);
    multipliers_[joint.row_offset + drive.row] += motions.accelerations()[index_of(drive.place)] +
                                                  2.0 * baumgarte_.alpha * motions.velocities()[index_of(drive.place)] +
                                                  baumgarte_.beta * baumgarte_.beta * (closed[row] - driven[row]);
  }
}

void CutRows::set_acceleration_right_side(const BodyRecursion& tree) {
  const Kinematics& kinematics = tree.kinematics();
  for (std::size_t c = 0; c < mechanism_->cut_joints().size(); ++c) {
    const Joint& joint = mechanism_->cut_joints()[c];
    set_cut_right_side(joint, kinematics.cut_joint(static_cast<int>(c)), cut_end(kinematics, joint.a),
                       cut_end(kinematics, joint.b), baumgarte_, multipliers_);
    if (!joint.driven.empty()) {
      add_drives(joint, kinematics.cut_joint(static_cast<int>(c)), tree.motions());
    }
  }
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
    close(tree);
  }
}

Vec6 CutRows::wrench(const BodyRecursion& tree, int c) const {
  const Joint& joint = mechanism_->cut_joints()[index_of(c)];
  return tree.kinematics().cut_joint(c).d * multipliers_.segment(joint.row_offset, joint.nc);
}

}  // namespace mbdbench
