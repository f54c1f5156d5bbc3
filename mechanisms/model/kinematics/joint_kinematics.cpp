#include "mechanisms/model/kinematics/joint_kinematics.hpp"

#include <cmath>

#include "mechanisms/model/kinematics/handle_share.hpp"

namespace mbdbench {
namespace {

/// Where what rolls touches the plane, from its centre, and how that changes as b turns against a.
struct Contact {
  Vec3 offset;
  Vec3 rate;
};

Contact contact_of(const Joint& joint, const JointKinematics& state, const Vec3& omega_a, const Vec3& omega_b) {
  const Vec3 normal = state.axes_a * joint.axis;
  const Vec3 normal_rate = omega_a.cross(normal);
  if (joint.type == JointType::rolling_ball) {
    return {-joint.radius * normal, -joint.radius * normal_rate};
  }
  // Down the disc's plane: the normal without its share along the disc's axis, made a unit vector.
  const Vec3 axis = state.axes_b * joint.axis2;
  const Vec3 axis_rate = omega_b.cross(axis);
  const double along = normal.dot(axis);
  const double along_rate = normal_rate.dot(axis) + normal.dot(axis_rate);
  const double upright = std::sqrt(1.0 - along * along);
  const Vec3 up = (normal - along * axis) / upright;
  const double upright_rate = -along * along_rate / upright;
  const Vec3 up_rate = (normal_rate - along_rate * axis - along * axis_rate - upright_rate * up) / upright;
  return {-joint.radius * up, -joint.radius * up_rate};
}

/// \returns the velocity of a body's material point.
Vec3 velocity_of(const BodyKinematics& body, const Vec3& place) {
  const Vec3 omega = body.velocity.tail<3>();
  return body.velocity.head<3>() + omega.cross(place - body.com);
}

}  // namespace

double share_of_b(const Joint& joint) {
  if (!joint.cut || !joint.world_linear || joint.a < 0) {
    return 1.0;
  }
  return joint.b < 0 ? 0.0 : 0.5;
}

void place_joint(const Joint& joint, const BodyKinematics& a, const BodyKinematics& b, JointKinematics& state) {
  state.axes_a.noalias() = a.rotation * joint.rotation_a;
  state.axes_b.noalias() = b.rotation * joint.rotation_b;
  const Vec3 origin_a = a.origin + a.rotation * joint.position_a;
  const Vec3 origin_b = b.origin + b.rotation * joint.position_b;
  state.displacement = origin_b - origin_a;
  state.point = origin_b - (1.0 - share_of_b(joint)) * state.displacement;
  if (rolls(joint.type)) {
    state.point += contact_of(joint, state, Vec3::Zero(), Vec3::Zero()).offset;
  }
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
    motion.displacement_rate = velocity_of(b, state.point) - velocity_of(a, state.point - state.displacement);
  }
  constrained_directions_rate(joint, state.axes_a, state.axes_b, motion, state.d_rate);
  state.turn = share == 0.5 ? Vec3(0.5 * (omega_a + omega_b)) : Vec3::Zero();
  state.velocity = velocity_of(b, state.point + (1.0 - share) * state.displacement);
  if (share < 1.0) {
    const Vec3 velocity_a = velocity_of(a, state.point - share * state.displacement);
    state.velocity = share * state.velocity + (1.0 - share) * velocity_a;
  }
  if (rolls(joint.type)) {
    // Of the place where they touch, which is a new point of both bodies at every instant.
    const Contact contact = contact_of(joint, state, omega_a, omega_b);
    state.velocity = velocity_of(b, state.point - contact.offset) + contact.rate;
  }
}

}  // namespace mbdbench
