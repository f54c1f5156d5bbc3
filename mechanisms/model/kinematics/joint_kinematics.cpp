#include "mechanisms/model/kinematics/joint_kinematics.hpp"

namespace mbdbench {
namespace {

/// How far O_k is on the way from the origin on a to that on b, as the file comment says.
double share_of_b(const Joint& joint) {
  if (!joint.cut || !joint.world_linear || joint.a < 0) {
    return 1.0;
  }
  return joint.b < 0 ? 0.0 : 0.5;
}

}  // namespace

void place_joint(const Joint& joint, const BodyKinematics& a, const BodyKinematics& b, JointKinematics& state) {
  state.axes_a.noalias() = a.rotation * joint.rotation_a;
  state.axes_b.noalias() = b.rotation * joint.rotation_b;
  const Vec3 origin_a = a.origin + a.rotation * joint.position_a;
  const Vec3 origin_b = b.origin + b.rotation * joint.position_b;
  state.displacement = origin_b - origin_a;
  state.point = origin_b - (1.0 - share_of_b(joint)) * state.displacement;
  motion_subspace(joint, state.axes_a, state.axes_b, state.h);
  constrained_directions(joint, state.axes_a, state.axes_b, state.displacement, state.d);
}

void set_joint_rates(const Joint& joint, const BodyKinematics& a, const BodyKinematics& b, JointKinematics& state) {
  const Vec3 omega_a = a.velocity.tail<3>();
  const Vec3 omega_b = b.velocity.tail<3>();
  motion_subspace_rate(joint, state.h, omega_a, omega_b, state.h_rate);
  const double share = share_of_b(joint);
  RelativeMotion motion{omega_a, omega_b, state.displacement, Vec3::Zero()};
  if (joint.length > 0.0) {
    motion.displacement_rate =
        b.velocity_at(state.point).head<3>() - a.velocity_at(state.point - state.displacement).head<3>();
  }
  constrained_directions_rate(joint, state.axes_a, state.axes_b, motion, state.d_rate);
  state.turn = share == 0.5 ? Vec3(0.5 * (omega_a + omega_b)) : Vec3::Zero();
  state.velocity = b.velocity_at(state.point + (1.0 - share) * state.displacement).head<3>();
  if (share < 1.0) {
    const Vec3 velocity_a = a.velocity_at(state.point - share * state.displacement).head<3>();
    state.velocity = share * state.velocity + (1.0 - share) * velocity_a;
  }
}

}  // namespace mbdbench
