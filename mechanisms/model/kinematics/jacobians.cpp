#include "mechanisms/model/kinematics/jacobians.hpp"

#include <algorithm>

namespace mbdbench {
namespace {

// The terms of a row carry the rounding of the chain to its ends, some ten eps; rows that are smaller are nothing else.
constexpr double kCancelled = 1e-13;

/// Rows 0..2 += omega-part cross l: columns of S^T J for the point at com + l.
void shift_columns(const Vec3& l, Jacobians::BodyJacobian& columns) {
  for (Eigen::Index c = 0; c < columns.cols(); ++c) {
    columns.col(c).head<3>() += columns.col(c).tail<3>().cross(l).eval();
  }
}

/// Rows 0..2 += source's omega-part cross l.
void add_cross(const Jacobians::BodyJacobian& source, const Vec3& l, Jacobians::BodyJacobian& columns) {
  for (Eigen::Index c = 0; c < columns.cols(); ++c) {
    columns.col(c).head<3>() += source.col(c).tail<3>().cross(l);
  }
}

}  // namespace

Jacobians::Jacobians(const Mechanism& mechanism)
    : mechanism_(&mechanism),
      bodies_(mechanism.bodies().size(), BodyJacobian::Zero(6, mechanism.u_size())),
      rates_(mechanism.bodies().size(), BodyJacobian::Zero(6, mechanism.u_size())),
      constraints_(Eigen::MatrixXd::Zero(mechanism.constraint_size(), mechanism.u_size())),
      constraint_rate_(Eigen::MatrixXd::Zero(mechanism.constraint_size(), mechanism.u_size())),
      end_size_(Eigen::VectorXd::Zero(mechanism.constraint_size())),
      end_(BodyJacobian::Zero(6, mechanism.u_size())),
      end_rate_(BodyJacobian::Zero(6, mechanism.u_size())) {
  for (const Joint& joint : mechanism.tree_joints()) {
    for (std::size_t m = 0; m < joint.motions.size(); ++m) {
      constraints_(joint.motion_offset + static_cast<int>(m), joint.u_offset + joint.motions[m].component) = 1.0;
    }
  }
  for (const Coupling& coupling : mechanism.couplings()) {
    for (const Coupling::Term& term : coupling.terms) {
      constraints_(coupling.row, term.u) = term.factor;
    }
  }
}

void Jacobians::set_positions(const Kinematics& kinematics) {
  const auto joints = mechanism_->tree_joints();
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const Joint& joint = joints[k];
    const JointKinematics& state = kinematics.tree_joint(static_cast<int>(k));
    BodyJacobian& j = bodies_[k];
    // J_b = X_(C_a -> O_k -> C_b) J_a + X_(O_k -> C_b) H_k [E of joint k]
    if (joint.a < 0) {
      j.setZero();
    } else {
      j = bodies_[static_cast<std::size_t>(joint.a)];
      shift_columns(state.point - kinematics.body(joint.a).com, j);
    }
    j.middleCols(joint.u_offset, joint.nu) += state.h;
    shift_columns(kinematics.body(static_cast<int>(k)).com - state.point, j);
  }
  constraints_.topRows(mechanism_->cut_row_count()).setZero();
  for (const VelocityEntry& entry : kinematics.velocity_entries()) {
    constraints_(entry.row, entry.u) = entry.factor;
  }
  end_size_.setZero();
  for (std::size_t c = 0; c < mechanism_->cut_joints().size(); ++c) {
    const Joint& joint = mechanism_->cut_joints()[c];
    const JointKinematics& state = kinematics.cut_joint(static_cast<int>(c));
    add_end(kinematics, joint, state, 1.0);
    add_end(kinematics, joint, state, -1.0);
  }
  for (Eigen::Index row = 0; row < mechanism_->cut_row_count(); ++row) {
    if (mechanism_->u_size() > 0 && constraints_.row(row).cwiseAbs().maxCoeff() <= kCancelled * end_size_[row]) {
      constraints_.row(row).setZero();
    }
  }
}

void Jacobians::add_end(const Kinematics& kinematics, const Joint& joint, const JointKinematics& state, double sign) {
  const int index = sign > 0.0 ? joint.b : joint.a;
  if (index < 0) {
    return;
  }
  end_ = bodies_[static_cast<std::size_t>(index)];
  shift_columns(state.point - kinematics.body(index).com, end_);
  for (int i = 0; i < joint.nc; ++i) {
    const int row = joint.row_offset + i;
    for (Eigen::Index column = 0; column < end_.cols(); ++column) {
      constraints_(row, column) += sign * state.d.col(i).dot(end_.col(column));
      end_size_[row] = std::max(end_size_[row], state.d.col(i).norm() * end_.col(column).norm());
    }
  }
}

void Jacobians::set_velocities(const Kinematics& kinematics) {
  const auto joints = mechanism_->tree_joints();
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const Joint& joint = joints[k];
    const JointKinematics& state = kinematics.tree_joint(static_cast<int>(k));
    const BodyKinematics& outboard = kinematics.body(static_cast<int>(k));
    BodyJacobian& rate = rates_[k];
    // The same recursion, differentiated: the lever arms change with the velocities of their ends.
    if (joint.a < 0) {
      rate.setZero();
    } else {
      const BodyKinematics& inboard = kinematics.body(joint.a);
      rate = rates_[static_cast<std::size_t>(joint.a)];
      shift_columns(state.point - inboard.com, rate);
      add_cross(bodies_[static_cast<std::size_t>(joint.a)], state.velocity - inboard.velocity.head<3>(), rate);
    }
    rate.middleCols(joint.u_offset, joint.nu) += state.h_rate;
    shift_columns(outboard.com - state.point, rate);
    // The angular rows at O_k are those of J_b.
    add_cross(bodies_[k], outboard.velocity.head<3>() - state.velocity, rate);
  }
  constraint_rate_.setZero();
  for (const VelocityEntry& entry : kinematics.velocity_entries()) {
    constraint_rate_(entry.row, entry.u) = entry.rate;
  }
  for (std::size_t c = 0; c < mechanism_->cut_joints().size(); ++c) {
    const Joint& joint = mechanism_->cut_joints()[c];
    const JointKinematics& state = kinematics.cut_joint(static_cast<int>(c));
    add_end_rate(kinematics, joint, state, 1.0);
    add_end_rate(kinematics, joint, state, -1.0);
  }
}

void Jacobians::add_end_rate(const Kinematics& kinematics, const Joint& joint, const JointKinematics& state,
                             double sign) {
  const int index = sign > 0.0 ? joint.b : joint.a;
  if (index < 0) {
    return;
  }
  const BodyKinematics& body = kinematics.body(index);
  const Vec3 lever = state.point - body.com;
  const Vec3 lever_rate = state.velocity - body.velocity.head<3>();
  end_ = bodies_[static_cast<std::size_t>(index)];
  end_rate_ = rates_[static_cast<std::size_t>(index)];
  shift_columns(lever, end_rate_);
  add_cross(end_, lever_rate, end_rate_);
  shift_columns(lever, end_);
  auto rows = constraint_rate_.middleRows(joint.row_offset, joint.nc);
  rows += sign * state.d_rate.transpose().lazyProduct(end_);
  rows += sign * state.d.transpose().lazyProduct(end_rate_);
}

void constraint_residual(const Kinematics& kinematics, std::span<const double> q,
                         std::span<const double> motion_positions, std::span<double> residual) {
  const Mechanism& mechanism = kinematics.mechanism();
  for (std::size_t c = 0; c < mechanism.cut_joints().size(); ++c) {
    const Joint& joint = mechanism.cut_joints()[c];
    const JointKinematics& state = kinematics.cut_joint(static_cast<int>(c));
    const auto own = residual.subspan(static_cast<std::size_t>(joint.row_offset), static_cast<std::size_t>(joint.nc));
    closure_residual(joint, state.axes_a, state.axes_b, state.displacement, own);
    drive_residual(joint, motion_positions, own);
  }
  const auto first_motion = static_cast<std::size_t>(mechanism.cut_row_count());
  for (const Joint& joint : mechanism.tree_joints()) {
    for (std::size_t m = 0; m < joint.motions.size(); ++m) {
      const std::size_t row = static_cast<std::size_t>(joint.motion_offset) + m;
      const auto coordinate = static_cast<std::size_t>(joint.q_offset + joint.motions[m].component);
      residual[row] = q[coordinate] - motion_positions[row - first_motion];
    }
  }
  for (const Coupling& coupling : mechanism.couplings()) {
    residual[static_cast<std::size_t>(coupling.row)] = coupling.residual(q);
  }
  for (const VelocityConstraint& constraint : mechanism.velocity_constraints()) {
    residual[static_cast<std::size_t>(constraint.row)] = 0.0;
  }
}

void constraint_rate_residual(const Kinematics& kinematics, std::span<const double> u,
                              std::span<const double> motion_velocities, std::span<double> residual) {
  const Mechanism& mechanism = kinematics.mechanism();
  for (std::size_t c = 0; c < mechanism.cut_joints().size(); ++c) {
    const Joint& joint = mechanism.cut_joints()[c];
    const JointKinematics& state = kinematics.cut_joint(static_cast<int>(c));
    const Vec6 relative = kinematics.velocity_at(joint.b, state.point) - kinematics.velocity_at(joint.a, state.point);
    for (int row = 0; row < joint.nc; ++row) {
      residual[static_cast<std::size_t>(joint.row_offset + row)] = state.d.col(row).dot(relative);
    }
    for (const DrivenRow& driven : joint.driven) {
      residual[static_cast<std::size_t>(joint.row_offset + driven.row)] -=
          motion_velocities[static_cast<std::size_t>(driven.place)];
    }
  }
  const auto first_motion = static_cast<std::size_t>(mechanism.cut_row_count());
  for (const Joint& joint : mechanism.tree_joints()) {
    for (std::size_t m = 0; m < joint.motions.size(); ++m) {
      const std::size_t row = static_cast<std::size_t>(joint.motion_offset) + m;
      const auto component = static_cast<std::size_t>(joint.u_offset + joint.motions[m].component);
      residual[row] = u[component] - motion_velocities[row - first_motion];
    }
  }
  for (const Coupling& coupling : mechanism.couplings()) {
    residual[static_cast<std::size_t>(coupling.row)] = coupling.rate(u);
  }
  for (const VelocityConstraint& constraint : mechanism.velocity_constraints()) {
    residual[static_cast<std::size_t>(constraint.row)] = 0.0;
  }
  for (const VelocityEntry& entry : kinematics.velocity_entries()) {
    residual[static_cast<std::size_t>(entry.row)] += entry.factor * u[static_cast<std::size_t>(entry.u)];
  }
}

}  // namespace mbdbench
