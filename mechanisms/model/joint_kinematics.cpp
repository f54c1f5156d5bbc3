#include "mechanisms/model/joint_kinematics.hpp"

namespace mbdbench {
namespace {

// A joint that slides has rows in axes of a, and its origin on b stands off that on a by more than drift.
bool is_fixed_in_a(const Joint& joint) {
  return joint.b < 0 && joint.world_linear;
}

}  // namespace

void place_joint(const Joint& joint, const BodyKinematics& a, const BodyKinematics& b, JointKinematics& state) {
  state.axes_a.noalias() = a.rotation * joint.rotation_a;
  state.axes_b.noalias() = b.rotation * joint.rotation_b;
  const Vec3 origin_a = a.origin + a.rotation * joint.position_a;
  const Vec3 origin_b = b.origin + b.rotation * joint.position_b;
  state.displacement = origin_b - origin_a;
  state.point = is_fixed_in_a(joint) ? origin_a : origin_b;
  motion_subspace(joint, state.axes_a, state.axes_b, state.h);
  constrained_directions(joint, state.axes_a, state.axes_b, state.d);
}

void set_joint_rates(const Joint& joint, const BodyKinematics& a, const BodyKinematics& b, JointKinematics& state) {
  const Vec3 omega_a = a.velocity.tail<3>();
  const Vec3 omega_b = b.velocity.tail<3>();
  motion_subspace_rate(joint, state.h, omega_a, omega_b, state.h_rate);
  constrained_directions_rate(joint, state.axes_a, state.axes_b, omega_a, omega_b, state.d_rate);
  state.velocity = (is_fixed_in_a(joint) ? a : b).velocity_at(state.point).head<3>();
}

}  // namespace mbdbench
