#include "formulations/augmented_lagrangian/absolute_kinematics.hpp"

namespace mbdbench {

AbsoluteKinematics::AbsoluteKinematics(const Mechanism& mechanism)
    : mechanism_(&mechanism), bodies_(mechanism.bodies().size()) {
  for (const auto& list : {mechanism.tree_joints(), mechanism.cut_joints()}) {
    for (const Joint& joint : list) {
      models_.push_back(&joint);
      gram_inverse_.push_back(motion_gram_inverse(joint));
    }
  }
  joints_.resize(models_.size());
}

void AbsoluteKinematics::set_positions(std::span<const double> y) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body& properties = mechanism_->bodies()[i];
    const double* own = y.data() + kAbsoluteCoordinates * i;
    BodyKinematics& body = bodies_[i];
    body.com = Eigen::Map<const Vec3>(own);
    body.rotation = rotation_of_quaternion(own[3], own[4], own[5], own[6]);
    body.origin = body.com - body.rotation * properties.com;
    body.inertia.noalias() = body.rotation * properties.inertia * body.rotation.transpose();
    body.inertia_inverse.noalias() = body.rotation * properties.inertia_inverse * body.rotation.transpose();
  }
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    place_joint(*models_[k], joints_[k]);
  }
}

void AbsoluteKinematics::place_joint(const Joint& joint, JointKinematics& state) const {
  const BodyKinematics& a = body(joint.a);
  const BodyKinematics& b = body(joint.b);
  state.axes_a.noalias() = a.rotation * joint.rotation_a;
  state.axes_b.noalias() = b.rotation * joint.rotation_b;
  state.point_b = b.origin + b.rotation * joint.position_b;
  const Vec3 origin_a = a.origin + a.rotation * joint.position_a;
  state.displacement = state.point_b - origin_a;
  state.point_a = joint.slides() ? state.point_b : origin_a;
  motion_subspace(joint, state.axes_a, state.axes_b, state.h);
  constrained_directions(joint, state.axes_a, state.axes_b, state.d);
}

void AbsoluteKinematics::set_velocities(std::span<const Vec6> velocities) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    bodies_[i].velocity = velocities[i];
  }
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const Joint& joint = *models_[k];
    JointKinematics& state = joints_[k];
    const Vec3 omega_a = body(joint.a).velocity.tail<3>();
    const Vec3 omega_b = body(joint.b).velocity.tail<3>();
    motion_subspace_rate(joint, state.h, omega_a, omega_b, state.h_rate);
    constrained_directions_rate(joint, state.axes_a, state.axes_b, omega_a, omega_b, state.d_rate);
    state.velocity_b = velocity_at(joint.b, state.point_b).head<3>();
    // Where the joint slides, a's handle is the geometric point O_k, which moves with b.
    state.velocity_a = joint.slides() ? state.velocity_b : Vec3(velocity_at(joint.a, state.point_a).head<3>());
  }
}

Vec6 AbsoluteKinematics::relative_velocity(int k) const {
  const JointKinematics& state = joint_state(k);
  return velocity_at(joint(k).b, state.point_b) - velocity_at(joint(k).a, state.point_a);
}

Vec6 AbsoluteKinematics::handle_bias(int k) const {
  // Xdot_h V_C = [omega x (v_h - v_C); 0] with v_h the velocity of the handle's geometric point.
  const JointKinematics& state = joint_state(k);
  const BodyKinematics& a = body(joint(k).a);
  const BodyKinematics& b = body(joint(k).b);
  Vec6 bias = Vec6::Zero();
  bias.head<3>() = b.velocity.tail<3>().cross(state.velocity_b - b.velocity.head<3>()) -
                   a.velocity.tail<3>().cross(state.velocity_a - a.velocity.head<3>());
  return bias;
}

RelativePose AbsoluteKinematics::pose(int k) const {
  const JointKinematics& state = joint_state(k);
  return {state.axes_a.transpose() * state.axes_b, state.axes_a.transpose() * state.displacement};
}

}  // namespace mbdbench
