#include "formulations/augmented_lagrangian/absolute/absolute_kinematics.hpp"

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
  handles_a_.resize(models_.size());
  handles_b_.resize(models_.size());
}

void AbsoluteKinematics::place_body(std::size_t i, const double* own) {
  const Body& properties = mechanism_->bodies()[i];
  BodyKinematics& body = bodies_[i];
  body.com = Eigen::Map<const Vec3>(own);
  body.rotation = rotation_of_quaternion(own[3], own[4], own[5], own[6]);
  body.origin = body.com - body.rotation * properties.com;
  body.inertia.noalias() = body.rotation * properties.inertia * body.rotation.transpose();
  body.inertia_inverse.noalias() = body.rotation * properties.inertia_inverse * body.rotation.transpose();
}

void AbsoluteKinematics::place_joint(std::size_t k) {
  const Joint& joint = *models_[k];
  const BodyKinematics& a = body(joint.a);
  const BodyKinematics& b = body(joint.b);
  mbdbench::place_joint(joint, a, b, joints_[k]);
  handles_b_[k].point = b.origin + b.rotation * joint.position_b;
  handles_a_[k].point = joint.world_linear ? Vec3(a.origin + a.rotation * joint.position_a) : handles_b_[k].point;
}

void AbsoluteKinematics::set_positions(std::span<const double> y, const BranchTeam& team, const DualScope& scope) {
  team.run([&](const BranchShare& share) {
    scope.for_bodies(share, bodies_.size(), [&](std::size_t i) { place_body(i, y.data() + kAbsoluteCoordinates * i); });
    share.member.barrier();
    scope.for_joints(share, joints_.size(), [&](std::size_t k) { place_joint(k); });
  });
}

void AbsoluteKinematics::move_joint(std::size_t k) {
  const Joint& joint = *models_[k];
  set_joint_rates(joint, body(joint.a), body(joint.b), joints_[k]);
  handles_b_[k].velocity = body(joint.b).velocity_at(handles_b_[k].point).head<3>();
  handles_a_[k].velocity =
      joint.world_linear ? Vec3(body(joint.a).velocity_at(handles_a_[k].point).head<3>()) : handles_b_[k].velocity;
}

void AbsoluteKinematics::set_velocities(std::span<const Vec6> velocities, const BranchTeam& team,
                                        const DualScope& scope) {
  team.run([&](const BranchShare& share) {
    scope.for_bodies(share, bodies_.size(), [&](std::size_t i) { bodies_[i].velocity = velocities[i]; });
    share.member.barrier();
    scope.for_joints(share, joints_.size(), [&](std::size_t k) { move_joint(k); });
  });
}

Vec6 AbsoluteKinematics::relative_velocity(int k) const {
  return body(joint(k).b).velocity_at(handle(k, true)) - body(joint(k).a).velocity_at(handle(k, false));
}

Vec6 AbsoluteKinematics::handle_bias(int k) const {
  // Xdot_h V_C = [omega x (v_h - v_C); 0] with v_h the velocity of the handle's geometric point.
  const BodyKinematics& a = body(joint(k).a);
  const BodyKinematics& b = body(joint(k).b);
  const auto index = static_cast<std::size_t>(k);
  Vec6 bias = Vec6::Zero();
  bias.head<3>() = b.velocity.tail<3>().cross(handles_b_[index].velocity - b.velocity.head<3>()) -
                   a.velocity.tail<3>().cross(handles_a_[index].velocity - a.velocity.head<3>());
  return bias;
}

RelativePose AbsoluteKinematics::pose(int k) const {
  const JointKinematics& state = joint_state(k);
  return {state.axes_a.transpose() * state.axes_b, state.axes_a.transpose() * state.displacement};
}

}  // namespace mbdbench
