#include "formulations/augmented_lagrangian/absolute/absolute_kinematics.hpp"

#include "formulations/kernels/qualifiers.hpp"

namespace mbdbench {
namespace {

// Inlined, and no half of a six-vector: what is put together in memory is waited for where it is read at once.
MBDBENCH_KERNEL Vec3 velocity_of_point(const BodyKinematics& body, const Vec3& place) {
  return body.velocity.head<3>() + body.velocity.tail<3>().cross(place - body.com);
}

}  // namespace

AbsoluteKinematics::AbsoluteKinematics(const Mechanism& mechanism)
    : mechanism_(&mechanism), bodies_(mechanism.bodies().size()) {
  for (const auto& list : {mechanism.tree_joints(), mechanism.cut_joints()}) {
    for (const Joint& joint : list) {
      models_.push_back(&joint);
      gram_inverse_.push_back(motion_gram_inverse(joint));
    }
  }
  joints_.resize(models_.size());
  handles_a_.resize(models_.size(), Vec3::Zero());
  handles_b_.resize(models_.size(), Vec3::Zero());
  relative_velocities_.resize(models_.size(), Vec6::Zero());
  handle_biases_.resize(models_.size(), Vec6::Zero());
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
  handles_b_[k] = b.origin + b.rotation * joint.position_b;
  handles_a_[k] = joint.world_linear ? Vec3(a.origin + a.rotation * joint.position_a) : handles_b_[k];
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
  const BodyKinematics& a = body(joint.a);
  const BodyKinematics& b = body(joint.b);
  set_joint_rates(joint, a, b, joints_[k]);
  const Vec3 velocity_a = velocity_of_point(a, handles_a_[k]);
  const Vec3 velocity_b = velocity_of_point(b, handles_b_[k]);
  relative_velocities_[k].head<3>() = velocity_b - velocity_a;
  relative_velocities_[k].tail<3>() = b.velocity.tail<3>() - a.velocity.tail<3>();
  // Xdot_h V_C = [omega x (v_h - v_C); 0] with v_h the velocity of the handle's geometric point.
  const Vec3& point_a = joint.world_linear ? velocity_a : velocity_b;
  handle_biases_[k].head<3>() = b.velocity.tail<3>().cross(velocity_b - b.velocity.head<3>()) -
                                a.velocity.tail<3>().cross(point_a - a.velocity.head<3>());
}

void AbsoluteKinematics::set_velocities(std::span<const Vec6> velocities, const BranchTeam& team,
                                        const DualScope& scope) {
  team.run([&](const BranchShare& share) {
    scope.for_bodies(share, bodies_.size(), [&](std::size_t i) { bodies_[i].velocity = velocities[i]; });
    share.member.barrier();
    scope.for_joints(share, joints_.size(), [&](std::size_t k) { move_joint(k); });
  });
}

RelativePose AbsoluteKinematics::pose(int k) const {
  const JointKinematics& state = joint_state(k);
  return {state.axes_a.transpose() * state.axes_b, state.axes_a.transpose() * state.displacement};
}

}  // namespace mbdbench
