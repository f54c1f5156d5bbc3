#include "formulations/assembly/articulated_system.hpp"

#include <algorithm>

#include "formulations/assembly/assembly_options.hpp"
#include "formulations/assembly/node_kernels.hpp"

namespace mbdbench {
namespace {

std::size_t index_of(int value) {
  return static_cast<std::size_t>(value);
}

}  // namespace

ArticulatedSystem::ArticulatedSystem(const Mechanism& mechanism, GroundClosure ground)
    : mechanism_(&mechanism),
      kinematics_(mechanism),
      loads_(mechanism),
      motions_(mechanism),
      engine_(AssemblyTree(mechanism.body_count(), assembly_joints(mechanism), ground)),
      handle_input_(mechanism.bodies().size()),
      body_rate_(mechanism.bodies().size()),
      right_(index_of(engine_.row_count()), 0.0),
      multipliers_(index_of(engine_.row_count()), 0.0),
      u_(index_of(mechanism.u_size()), 0.0),
      accelerations_(index_of(mechanism.u_size()), 0.0) {
  for (const Joint& joint : mechanism.tree_joints()) {
    directions_.emplace_back(SpatialColumns::Zero(6, joint.nc + static_cast<int>(joint.motions.size())));
  }
  std::size_t numbers = 0;
  for (int body = 0; body < mechanism.body_count(); ++body) {
    handle_offset_.push_back(numbers);
    numbers += 6 * index_of(engine_.leaf_rows(body));
  }
  handles_.assign(numbers, 0.0);
}

RhsStatus ArticulatedSystem::set_positions(double t, std::span<const double> q) {
  motions_.evaluate(t);
  kinematics_.set_positions(q);
  set_directions();
  for (int body = 0; body < mechanism_->body_count(); ++body) {
    set_leaf(body);
  }
  const AssemblyPivot failed = engine_.factorise();
  if (failed.joint >= 0) {
    return {false, mechanism_->tree_joints()[index_of(failed.joint)].name,
            "the assembled matrix is not positive definite here, its pivot is", failed.value};
  }
  return {};
}

void ArticulatedSystem::set_directions() {
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    const Joint& joint = mechanism_->tree_joints()[index_of(k)];
    const JointKinematics& state = kinematics_.tree_joint(k);
    SpatialColumns& directions = directions_[index_of(k)];
    directions.leftCols(joint.nc) = state.d;
    for (std::size_t m = 0; m < joint.motions.size(); ++m) {
      directions.col(joint.nc + static_cast<int>(m)).noalias() =
          state.h * kinematics_.gram_inverse(k).col(joint.motions[m].component);
    }
  }
}

void ArticulatedSystem::set_leaf(int body) {
  const BodyKinematics& state = kinematics_.body(body);
  const int rows = engine_.leaf_rows(body);
  double* handles = handles_.data() + handle_offset_[index_of(body)];
  int column = 0;
  for (const int k : engine_.leaf_joints(body)) {
    const double sign = mechanism_->tree_joints()[index_of(k)].b == body ? 1.0 : -1.0;
    const Vec3 lever = kinematics_.tree_joint(k).point_b - state.com;
    const SpatialColumns& directions = directions_[index_of(k)];
    for (Eigen::Index c = 0; c < directions.cols(); ++c, ++column) {
      const Vec3 force = sign * directions.col(c).head<3>();
      const Vec3 torque = sign * directions.col(c).tail<3>() + lever.cross(force);
      for (int i = 0; i < 3; ++i) {
        handles[i * rows + column] = force[i];
        handles[(3 + i) * rows + column] = torque[i];
      }
    }
  }
  const double inverse_mass = 1.0 / mechanism_->bodies()[index_of(body)].mass;
  double* leaf = engine_.leaf_matrix(body);
  if (rows == 10) {
    fill_leaf<double, 10>(handles, inverse_mass, state.inertia_inverse.data(), rows, leaf);
  } else {
    fill_leaf<double>(handles, inverse_mass, state.inertia_inverse.data(), rows, leaf);
  }
}

Vec6 ArticulatedSystem::times_inverse_inertia(int body, const Vec6& wrench) const {
  Vec6 velocity;
  velocity.head<3>() = wrench.head<3>() / mechanism_->bodies()[index_of(body)].mass;
  velocity.tail<3>().noalias() = kinematics_.body(body).inertia_inverse * wrench.tail<3>();
  return velocity;
}

void ArticulatedSystem::add_pair(int k, const Vec6& wrench) {
  const Joint& joint = mechanism_->tree_joints()[index_of(k)];
  const Vec3& point = kinematics_.tree_joint(k).point_b;
  handle_input_[index_of(joint.b)] += shift_wrench(point - kinematics_.body(joint.b).com, wrench);
  if (joint.a >= 0) {
    handle_input_[index_of(joint.a)] -= shift_wrench(point - kinematics_.body(joint.a).com, wrench);
  }
}

void ArticulatedSystem::solve(std::vector<Vec6>& result) {
  for (int body = 0; body < mechanism_->body_count(); ++body) {
    const Vec6 velocity = times_inverse_inertia(body, handle_input_[index_of(body)]);
    const double* handles = handles_.data() + handle_offset_[index_of(body)];
    const int rows = engine_.leaf_rows(body);
    if (rows == 10) {
      project_velocity<double, 10>(handles, velocity.data(), rows, engine_.leaf_right_side(body));
    } else {
      project_velocity<double>(handles, velocity.data(), rows, engine_.leaf_right_side(body));
    }
  }
  engine_.solve(right_, multipliers_);
  for (int body = 0; body < mechanism_->body_count(); ++body) {
    const double* handles = handles_.data() + handle_offset_[index_of(body)];
    const int rows = engine_.leaf_rows(body);
    Vec6 total = handle_input_[index_of(body)];
    int column = 0;
    for (const int k : engine_.leaf_joints(body)) {
      const double* sigma = multipliers_.data() + engine_.row_offset(k);
      const auto count = static_cast<int>(directions_[index_of(k)].cols());
      for (int i = 0; i < 6; ++i) {
        double sum = 0.0;
        for (int r = 0; r < count; ++r) {
          sum += sigma[r] * handles[i * rows + column + r];
        }
        total[i] += sum;
      }
      column += count;
    }
    result[index_of(body)] = times_inverse_inertia(body, total);
  }
}

void ArticulatedSystem::solve_velocities(std::span<const double> p) {
  std::fill(handle_input_.begin(), handle_input_.end(), Vec6::Zero());
  std::fill(right_.begin(), right_.end(), 0.0);
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    const Joint& joint = mechanism_->tree_joints()[index_of(k)];
    add_pair(k, active_impulse(k, p));
    for (std::size_t m = 0; m < joint.motions.size(); ++m) {
      const std::size_t motion = index_of(joint.motion_offset - mechanism_->cut_row_count()) + m;
      right_[index_of(engine_.row_offset(k) + joint.nc) + m] = motions_.velocities()[motion];
    }
  }
  solve(body_rate_);
  kinematics_.set_body_velocities(body_rate_);
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    const Joint& joint = mechanism_->tree_joints()[index_of(k)];
    const JointKinematics& state = kinematics_.tree_joint(k);
    const Vec6 relative =
        kinematics_.velocity_at(joint.b, state.point_b) - kinematics_.velocity_at(joint.a, state.point_b);
    // DEVIATES [Chadaj2015, Eq. (30)]: printed for H^T H = I; with (H^T H)^-1 it holds for oblique universal joints too
    // (right_hand_side_test: random trees have them).
    Eigen::Map<Eigen::VectorXd>(u_.data() + joint.u_offset, joint.nu).noalias() =
        kinematics_.gram_inverse(k).lazyProduct(state.h.transpose().lazyProduct(relative));
  }
}

void ArticulatedSystem::set_velocities(std::span<const double> u) {
  std::copy(u.begin(), u.end(), u_.begin());
  kinematics_.set_velocities(u);
}

void ArticulatedSystem::evaluate_loads(double t, std::span<const double> q) {
  loads_.evaluate(t, q, u_, kinematics_);
}

Vec6 ArticulatedSystem::handle_bias(int k) const {
  // Xdot_h V_C = [omega x (v_h - v_C); 0] with v_h the velocity of the geometric point O_k.
  const Joint& joint = mechanism_->tree_joints()[index_of(k)];
  const Vec3& point_velocity = kinematics_.tree_joint(k).velocity_b;
  Vec6 bias = Vec6::Zero();
  const BodyKinematics& b = kinematics_.body(joint.b);
  bias.head<3>() = b.velocity.tail<3>().cross(point_velocity - b.velocity.head<3>());
  if (joint.a >= 0) {
    const BodyKinematics& a = kinematics_.body(joint.a);
    bias.head<3>() -= a.velocity.tail<3>().cross(point_velocity - a.velocity.head<3>());
  }
  return bias;
}

void ArticulatedSystem::set_acceleration_right_sides() {
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    const Joint& joint = mechanism_->tree_joints()[index_of(k)];
    const JointKinematics& state = kinematics_.tree_joint(k);
    const SpatialColumns& directions = directions_[index_of(k)];
    const Vec6 relative =
        kinematics_.velocity_at(joint.b, state.point_b) - kinematics_.velocity_at(joint.a, state.point_b);
    const Vec6 bias = handle_bias(k);
    double* right = right_.data() + engine_.row_offset(k);
    // r_k = -Ddot^T (V_B - V_A) - D^T (Xdot_B V_B - Xdot_A V_A)
    for (int row = 0; row < joint.nc; ++row) {
      right[row] = -state.d_rate.col(row).dot(relative) - directions.col(row).dot(bias);
    }
    for (std::size_t m = 0; m < joint.motions.size(); ++m) {
      const int row = joint.nc + static_cast<int>(m);
      const std::size_t motion = index_of(joint.motion_offset - mechanism_->cut_row_count()) + m;
      double rate_term = 0.0;
      for (int i = 0; i < joint.nu; ++i) {
        rate_term += state.h_rate.col(i).dot(relative) * kinematics_.gram_inverse(k)(i, joint.motions[m].component);
      }
      right[row] = motions_.accelerations()[motion] - rate_term - directions.col(row).dot(bias);
    }
  }
}

void ArticulatedSystem::solve_accelerations() {
  const Eigen::VectorXd& tau = loads_.joint_forces();
  const std::span<const double> joint_forces(tau.data(), index_of(static_cast<int>(tau.size())));
  for (int body = 0; body < mechanism_->body_count(); ++body) {
    const BodyKinematics& state = kinematics_.body(body);
    const Vec3 omega = state.velocity.tail<3>();
    handle_input_[index_of(body)] = loads_.body_wrench(body);
    handle_input_[index_of(body)].tail<3>() -= omega.cross(state.inertia * omega);
  }
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    add_pair(k, active_impulse(k, joint_forces));
  }
  set_acceleration_right_sides();
  solve(body_rate_);
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    const Joint& joint = mechanism_->tree_joints()[index_of(k)];
    const JointKinematics& state = kinematics_.tree_joint(k);
    Vec6 relative_rate =
        handle_bias(k) + shift_velocity(state.point_b - kinematics_.body(joint.b).com, body_rate_[index_of(joint.b)]);
    if (joint.a >= 0) {
      relative_rate -= shift_velocity(state.point_b - kinematics_.body(joint.a).com, body_rate_[index_of(joint.a)]);
    }
    for (int i = 0; i < joint.nu; ++i) {
      relative_rate -= u_[index_of(joint.u_offset + i)] * state.h_rate.col(i);
    }
    // u' = (H^T H)^-1 H^T ( d/dt (V_B - V_A) - Hdot u )
    Eigen::Map<Eigen::VectorXd>(accelerations_.data() + joint.u_offset, joint.nu).noalias() =
        kinematics_.gram_inverse(k).lazyProduct(state.h.transpose().lazyProduct(relative_rate));
  }
}

void ArticulatedSystem::reactions(Reactions& result) const {
  result.tree_joints.resize(mechanism_->tree_joints().size());
  result.cut_joints.clear();
  for (int k = 0; k < mechanism_->body_count(); ++k) {
    result.tree_joints[index_of(k)] = constraint_impulse(k);
  }
}

Vec6 ArticulatedSystem::constraint_impulse(int k) const {
  const SpatialColumns& directions = directions_[index_of(k)];
  const int offset = engine_.row_offset(k);
  Vec6 impulse = Vec6::Zero();
  for (Eigen::Index r = 0; r < directions.cols(); ++r) {
    impulse += multipliers_[index_of(offset + static_cast<int>(r))] * directions.col(r);
  }
  return impulse;
}

Vec6 ArticulatedSystem::active_impulse(int k, std::span<const double> values) const {
  const Joint& joint = mechanism_->tree_joints()[index_of(k)];
  const JointKinematics& state = kinematics_.tree_joint(k);
  const JointMatrix& gram = kinematics_.gram_inverse(k);
  Vec6 impulse = Vec6::Zero();
  for (int i = 0; i < joint.nu; ++i) {
    double dual = 0.0;
    for (int j = 0; j < joint.nu; ++j) {
      dual += gram(i, j) * values[index_of(joint.u_offset + j)];
    }
    impulse += dual * state.h.col(i);
  }
  return impulse;
}

}  // namespace mbdbench
