/// \file
/// The acceleration half of MechanismAssembly: right sides of the joints, accelerations, reactions.
#include "formulations/assembly/mechanism_assembly.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

Vec6 MechanismAssembly::handle_bias(int k) const {
  // Xdot_h V_C = [omega x (v_h - v_C); 0] with v_h the velocity of the handle's geometric point.
  const JointKinematics& state = joint_state(k);
  Vec6 bias = Vec6::Zero();
  if (joint(k).b >= 0) {
    const BodyKinematics& b = kinematics_.body(joint(k).b);
    bias.head<3>() = b.velocity.tail<3>().cross(state.velocity - b.velocity.head<3>());
  }
  if (joint(k).a >= 0) {
    const BodyKinematics& a = kinematics_.body(joint(k).a);
    bias.head<3>() -= a.velocity.tail<3>().cross(state.velocity - a.velocity.head<3>());
  }
  return bias;
}

void MechanismAssembly::set_acceleration_right_sides(double alpha, double beta) {
  for (int k = 0; k < joint_count(); ++k) {
    const Joint& closed = joint(k);
    const JointKinematics& state = joint_state(k);
    const SpatialColumns& directions = directions_[index_of(k)];
    const bool cut = k >= first_cut();
    const SpatialColumns& direction_rates = cut ? cut_rates_[index_of(k - first_cut())] : state.d_rate;
    const Vec6 relative = relative_velocity(k);
    const Vec6 bias = handle_bias(k);
    double* right = right_.data() + engine_.row_offset(k);
    // r_k = -Ddot^T (V_B - V_A) - D^T (Xdot_B V_B - Xdot_A V_A)
    for (int row = 0; row < closed.nc; ++row) {
      right[row] = -directions.col(row).dot(bias);
      if (cut && closed.world_linear && row < 3) {  // whatever axes the rows stand in, Phi turns with both bodies
        right[row] += turning_term(state, directions.col(row), relative);
      } else {
        right[row] -= direction_rates.col(row).dot(relative);
      }
    }
    for (const DrivenRow& driven : closed.driven) {
      right[driven.row] += motions_.accelerations()[index_of(driven.place)] +
                           2.0 * alpha * motions_.velocities()[index_of(driven.place)];
    }
    if (cut && (alpha != 0.0 || beta != 0.0)) {
      closure(k - first_cut(), residual_);
      for (int row = 0; row < closed.nc; ++row) {
        right[row] -= 2.0 * alpha * directions.col(row).dot(relative) + beta * beta * residual_[index_of(row)];
      }
    }
    for (std::size_t m = 0; m < closed.motions.size(); ++m) {
      const int row = closed.nc + static_cast<int>(m);
      const std::size_t motion = index_of(closed.motion_offset - mechanism_->cut_row_count()) + m;
      double rate_term = 0.0;
      for (int i = 0; i < closed.nu; ++i) {
        rate_term += state.h_rate.col(i).dot(relative) * kinematics_.gram_inverse(k)(i, closed.motions[m].component);
      }
      right[row] = motions_.accelerations()[motion] - rate_term - directions.col(row).dot(bias);
    }
  }
}

void MechanismAssembly::solve_accelerations(double alpha, double beta) {
  const Eigen::VectorXd& tau = loads_.joint_forces();
  const std::span<const double> joint_forces(tau.data(), static_cast<std::size_t>(tau.size()));
  for (int body = 0; body < mechanism_->body_count(); ++body) {
    const BodyKinematics& state = kinematics_.body(body);
    const Vec3 omega = state.velocity.tail<3>();
    handle_input_[index_of(body)] = loads_.body_wrench(body);
    handle_input_[index_of(body)].tail<3>() -= omega.cross(state.inertia * omega);
  }
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    add_pair(k, active_impulse(k, joint_forces));
  }
  set_acceleration_right_sides(alpha, beta);
  engine_.solve(right_, handle_input_, multipliers_, body_rate_);
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    const Joint& tree_joint = mechanism_->tree_joints()[index_of(k)];
    const JointKinematics& state = kinematics_.tree_joint(k);
    Vec6 relative_rate = handle_bias(k) + shift_velocity(state.point - kinematics_.body(tree_joint.b).com,
                                                         body_rate_[index_of(tree_joint.b)]);
    if (tree_joint.a >= 0) {
      relative_rate -=
          shift_velocity(state.point - kinematics_.body(tree_joint.a).com, body_rate_[index_of(tree_joint.a)]);
    }
    for (int i = 0; i < tree_joint.nu; ++i) {
      relative_rate -= u_[index_of(tree_joint.u_offset + i)] * state.h_rate.col(i);
    }
    // u' = (H^T H)^-1 H^T ( d/dt (V_B - V_A) - Hdot u )
    Eigen::Map<Eigen::VectorXd>(accelerations_.data() + tree_joint.u_offset, tree_joint.nu).noalias() =
        kinematics_.gram_inverse(k).lazyProduct(state.h.transpose().lazyProduct(relative_rate));
  }
  if (!coupled_.empty()) {
    for (std::size_t c = 0; c < open_.size(); ++c) {
      coupled_right_[c] = -2.0 * alpha * mechanism_->couplings()[c].rate(u_) - beta * beta * open_[c];
    }
    coupled_.solve(accelerations_, coupled_right_);
    coupled_.add_to(accelerations_, multipliers_, body_rate_);
  }
}

void MechanismAssembly::reactions(Reactions& result) const {
  result.tree_joints.resize(mechanism_->tree_joints().size());
  result.cut_joints.resize(mechanism_->cut_joints().size());
  std::vector<double> coupling_forces(u_.size(), 0.0);
  coupled_.add_forces(coupling_forces);
  for (int k = 0; k < first_cut(); ++k) {
    result.tree_joints[index_of(k)] = constraint_impulse(k) + active_impulse(k, coupling_forces);
  }
  for (int k = first_cut(); k < joint_count(); ++k) {
    result.cut_joints[index_of(k - first_cut())] = constraint_impulse(k);
  }
}

}  // namespace mbdbench
