// The rows of Phi_q, what acts on the bodies, and the right sides of the rows.
#include "formulations/augmented_lagrangian/absolute/absolute_coordinates.hpp"
#include "formulations/augmented_lagrangian/augmented_system.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

std::size_t AugmentedSystem::motion_index(int k, std::size_t m) const {
  return index_of(kinematics_.joint(k).motion_offset - mechanism_->cut_row_count()) + m;
}

void AugmentedSystem::set_directions() {
  if (!mechanism_->rheonomic()) {
    return;
  }
  for_joints(own_scope_, [this](int k) { set_directions(k); });
}

void AugmentedSystem::set_directions(int k) {
  const Joint& joint = kinematics_.joint(k);
  const JointKinematics& state = kinematics_.joint_state(k);
  SpatialColumns& directions = directions_[index_of(k)];
  directions.leftCols(joint.nc) = state.d;
  for (std::size_t m = 0; m < joint.motions.size(); ++m) {
    directions.col(joint.nc + static_cast<int>(m)).noalias() =
        state.h * kinematics_.gram_inverse(k).col(joint.motions[m].component);
  }
}

void AugmentedSystem::add_pair(int k, const Vec6& wrench) {
  const Joint& joint = kinematics_.joint(k);
  const Vec3& point = kinematics_.joint_state(k).point;
  input_[index_of(joint.b)] += shift_wrench(point - kinematics_.body(joint.b).com, wrench);
  if (joint.a >= 0) {
    input_[index_of(joint.a)] -= shift_wrench(point - kinematics_.body(joint.a).com, wrench);
  }
}

void AugmentedSystem::evaluate_loads(double t) {
  if (loads_needed_) {
    tree_velocities(kinematics_, u_);
    tree_.set_positions(q_);
    tree_.set_velocities(u_);
    loads_.evaluate(t, q_, u_, tree_);
  }
}

void AugmentedSystem::set_input(int i) {
  Vec6& input = input_[index_of(i)];
  if (loads_needed_) {
    input = loads_.body_wrench(i);
  } else {
    input << mechanism_->bodies()[index_of(i)].mass * mechanism_->gravity(), Vec3::Zero();
  }
  const BodyKinematics& body = kinematics_.body(i);
  const Vec3 omega = body.velocity.tail<3>();
  input.tail<3>() -= omega.cross(body.inertia * omega);
}

void AugmentedSystem::add_joint_loads() {
  if (!loads_needed_) {
    return;
  }
  const Eigen::VectorXd& tau = loads_.joint_forces();
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    const Joint& joint = kinematics_.joint(k);
    const JointMatrix& gram = kinematics_.gram_inverse(k);
    Vec6 wrench = Vec6::Zero();
    for (int i = 0; i < joint.nu; ++i) {
      double dual = 0.0;
      for (int j = 0; j < joint.nu; ++j) {
        dual += gram(i, j) * tau[joint.u_offset + j];
      }
      wrench += dual * kinematics_.joint_state(k).h.col(i);
    }
    add_pair(k, wrench);
  }
}

void AugmentedSystem::set_right_side(int k, std::span<double> right) const {
  const Joint& joint = kinematics_.joint(k);
  const JointKinematics& state = kinematics_.joint_state(k);
  const Vec6& relative = kinematics_.relative_velocity(k);
  const Vec6& bias = kinematics_.handle_bias(k);
  double* rows = right.data() + row_offset(k);
  for (int row = 0; row < joint.nc; ++row) {
    rows[row] = -state.d_rate.col(row).dot(relative) - state.d.col(row).dot(bias);
  }
  for (const DrivenRow& driven : joint.driven) {
    rows[driven.row] += motions_.accelerations()[index_of(driven.place)];
  }
  for (std::size_t m = 0; m < joint.motions.size(); ++m) {
    const int row = joint.nc + static_cast<int>(m);
    double rate_term = 0.0;
    for (int i = 0; i < joint.nu; ++i) {
      rate_term += state.h_rate.col(i).dot(relative) * kinematics_.gram_inverse(k)(i, joint.motions[m].component);
    }
    rows[row] = motions_.accelerations()[motion_index(k, m)] - rate_term - directions(k).col(row).dot(bias);
  }
}

void AugmentedSystem::stabilise(int k, std::span<double> right) {
  if (options_.omega == 0.0) {
    return;
  }
  const std::size_t first = index_of(row_offset(k));
  const std::size_t last = first + static_cast<std::size_t>(directions(k).cols());
  set_position_residual(k, residual_);
  for (std::size_t row = first; row < last; ++row) {
    right[row] -= options_.omega * options_.omega * residual_[row];
  }
  set_velocity_residual(k, residual_);
  for (std::size_t row = first; row < last; ++row) {
    right[row] -= 2.0 * options_.omega * options_.mu * residual_[row];
  }
}

void AugmentedSystem::set_equations(const BranchShare& share, const DualScope& scope) {
  scope.for_bodies(share, input_.size(), [this](std::size_t i) { set_input(static_cast<int>(i)); });
  scope.for_joints(share, index_of(kinematics_.joint_count()), [this](std::size_t k) {
    set_right_side(static_cast<int>(k), right_);
    stabilise(static_cast<int>(k), right_);
  });
}

void AugmentedSystem::set_equations(double t) {
  evaluate_loads(t);
  team().run([this](const BranchShare& share) { set_equations(share, own_scope_); });
  add_joint_loads();
}

}  // namespace mbdbench
