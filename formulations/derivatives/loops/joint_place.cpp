#include "formulations/derivatives/loops/joint_place.hpp"

namespace mbdbench {
namespace {

/// \returns slopes of the angle about a unit vector from one vector to another (joint.cpp).
CutComponent::Row angle_slopes(const MovingVector& axis, const MovingVector& from, const MovingVector& to) {
  const MovingNumber y = dot_of(axis, cross_of(from, to));
  const MovingNumber straight = dot_of(from, to);
  const MovingNumber first = dot_of(axis, from);
  const MovingNumber second = dot_of(axis, to);
  const double x = straight.value - first.value * second.value;
  const CutComponent::Row x_slopes = straight.slopes - first.value * second.slopes - second.value * first.slopes;
  return (x * y.slopes - y.value * x_slopes) / (x * x + y.value * y.value);
}

/// \returns a point of a body. \param motion of the body: 0 or kOfB
MovingVector point_on(int motion, const Vec3& value) {
  MovingVector result{value, VectorSlopes::Zero()};
  result.slopes.middleCols<6>(motion) = motion_of_point(value);
  return result;
}

}  // namespace

MovingVector fixed_in(int turn, const Vec3& value) {
  MovingVector result{value, VectorSlopes::Zero()};
  result.slopes.middleCols<3>(turn) = -skew(value);
  return result;
}

MovingVector velocity_part(int part, const Vec3& value) {
  MovingVector result{value, VectorSlopes::Zero()};
  result.slopes.middleCols<3>(part).setIdentity();
  return result;
}

MovingNumber dot_of(const MovingVector& a, const MovingVector& b) {
  return {a.value.dot(b.value), b.value.transpose() * a.slopes + a.value.transpose() * b.slopes};
}

MovingVector cross_of(const MovingVector& a, const MovingVector& b) {
  return {a.value.cross(b.value), skew(a.value) * b.slopes - skew(b.value) * a.slopes};
}

MovingVector combination(double fa, const MovingVector& a, double fb, const MovingVector& b) {
  return {fa * a.value + fb * b.value, fa * a.slopes + fb * b.slopes};
}

MovingVector times(const MovingNumber& factor, const MovingVector& a) {
  return {factor.value * a.value, factor.value * a.slopes + a.value * factor.slopes};
}

MovingNumber MovingWrench::power(const Vec6& relative) const {
  MovingNumber result{value.dot(relative), relative.transpose() * slopes};
  result.slopes.middleCols<6>(kVelocityOfA) -= value.transpose();
  result.slopes.middleCols<6>(kVelocityOfB) += value.transpose();
  return result;
}

bool is_fixed_outboard(const Joint& joint, int component) {
  return joint.type == JointType::spherical || (joint.type == JointType::universal && component == 1) ||
         (joint.type == JointType::free && component < 3) || (joint.type == JointType::planar && component == 2);
}

JointPlace::JointPlace(const Joint& of, const JointKinematics& at, const Vec3& from, const Vec3& to, double share_of_b)
    : joint(&of),
      state(&at),
      origin_a(point_on(0, from)),
      origin_b(point_on(kOfB, to)),
      displacement(combination(1.0, origin_b, -1.0, origin_a)),
      point(combination(share_of_b, origin_b, 1.0 - share_of_b, origin_a)) {}

CutComponent::Row JointPlace::turn() const {
  return angle_slopes(in_a(joint->axis), in_a(joint->normal1), in_b(joint->normal1));
}

Vec3 JointPlace::sliding_way(int component) const {
  switch (joint->type) {
    case JointType::prismatic:
      return joint->axis;
    case JointType::cylindrical:
      return component == 1 ? joint->axis : Vec3(Vec3::Zero());
    case JointType::planar:
      return component == 0 ? joint->normal1 : component == 1 ? joint->normal2 : Vec3(Vec3::Zero());
    default:
      return Vec3::Zero();  // of a screw too: how far it slid only tells the whole turns
  }
}

CutComponent::Row JointPlace::coordinate(int component) const {
  if (joint->type == JointType::universal) {
    return component == 0 ? angle_slopes(in_a(joint->axis), in_a(joint->axis2), in_b(joint->axis2))
                          : angle_slopes(in_b(joint->axis2), in_a(joint->axis), in_b(joint->axis));
  }
  const Vec3 way = sliding_way(component);
  return way.isZero(0.0) ? turn() : slide(way);
}

bool JointPlace::moves_with_b(int component) const {
  // The turn of a planar joint has its line in b and its direction in both.
  return is_fixed_outboard(*joint, component) && joint->type != JointType::planar;
}

std::pair<MovingVector, MovingVector> JointPlace::direction(int component) const {
  const int turn_of = moves_with_b(component) ? kTurnOfB : kTurnOfA;
  const Vec6 column = state->h.col(component);
  return {fixed_in(turn_of, column.head<3>()), fixed_in(turn_of, column.tail<3>())};
}

std::pair<MovingVector, MovingVector> JointPlace::dual_direction(int component) const {
  auto [force, torque] = direction(component);
  if (joint->type == JointType::screw) {
    const double share = motion_gram_inverse(*joint)(0, 0);
    return {combination(share, force, 0.0, force), combination(share, torque, 0.0, torque)};
  }
  if (joint->type != JointType::universal) {
    return {force, torque};
  }
  const MovingVector other = direction(1 - component).second;
  const MovingNumber c = dot_of(torque, other);
  const double scale = 1.0 / (1.0 - c.value * c.value);
  // (h - c other) / (1 - c^2)
  MovingVector dual = combination(scale, torque, -scale * c.value, other);
  dual.slopes += (2.0 * scale * c.value * dual.value - scale * other.value) * c.slopes;
  return {force, dual};
}

MovingWrench JointPlace::wrench_of(const std::pair<MovingVector, MovingVector>& force_and_torque) const {
  const auto& [force, torque] = force_and_torque;
  MovingWrench result;
  result.value << force.value, torque.value + point.value.cross(force.value);
  result.slopes = slopes_of_wrench(point.value, point.slopes, force.value, force.slopes, torque.slopes);
  return result;
}

}  // namespace mbdbench
