#include "formulations/derivatives/loops/vector_slopes.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/handle_share.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace mbdbench {
namespace {

/// A vector with its slopes.
struct MovingVector {
  Vec3 value = Vec3::Zero();
  VectorSlopes slopes = VectorSlopes::Zero();
};

/// A number with its slopes.
struct MovingNumber {
  double value = 0.0;
  CutComponent::Row slopes = CutComponent::Row::Zero();
};

/// \returns a vector that is fixed in a body. \param turn of that: kTurnOfA or kTurnOfB
MovingVector fixed_in(int turn, const Vec3& value) {
  MovingVector result{value, VectorSlopes::Zero()};
  result.slopes.middleCols<3>(turn) = -skew(value);
  return result;
}

/// \returns a vector that is part of a body's velocity. \param part of that: kVelocityOfA, kSpinOfA, ...
MovingVector velocity_at(int part, const Vec3& value) {
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

/// What moves of a cut joint.
struct CutPlace {
  const Joint* joint = nullptr;
  const JointKinematics* state = nullptr;
  double share_of_b = 1.0;  ///< of the way from the origin on a to that on b where the point is
  MovingVector origin_a;
  MovingVector origin_b;
  MovingVector displacement;
  MovingVector point;

  [[nodiscard]] MovingVector in_a(const Vec3& own) const { return fixed_in(kTurnOfA, state->axes_a * own); }
  [[nodiscard]] MovingVector in_b(const Vec3& own) const { return fixed_in(kTurnOfB, state->axes_b * own); }
  [[nodiscard]] CutComponent::Row slide(const Vec3& own) const { return dot_of(in_a(own), displacement).slopes; }
  [[nodiscard]] CutComponent::Row turn() const {
    return angle_slopes(in_a(joint->axis), in_a(joint->normal1), in_b(joint->normal1));
  }
  /// \returns slopes of a scalar coordinate.
  [[nodiscard]] CutComponent::Row coordinate(int component) const;
  /// \returns whether a column of H is fixed in b.
  [[nodiscard]] bool moves_with_b(int component) const;
  /// \returns a column of H: of forces and of torques.
  [[nodiscard]] std::pair<MovingVector, MovingVector> direction(int component) const;
  /// \returns the wrench of a unit generalised force (cut_dual_direction), likewise.
  [[nodiscard]] std::pair<MovingVector, MovingVector> dual_direction(int component) const;
};

CutComponent::Row CutPlace::coordinate(int component) const {
  switch (joint->type) {
    case JointType::prismatic:
      return slide(joint->axis);
    case JointType::universal:
      return component == 0 ? angle_slopes(in_a(joint->axis), in_a(joint->axis2), in_b(joint->axis2))
                            : angle_slopes(in_b(joint->axis2), in_a(joint->axis), in_b(joint->axis));
    case JointType::cylindrical:
      return component == 0 ? turn() : slide(joint->axis);
    case JointType::planar:
      return component == 2 ? turn() : slide(component == 0 ? joint->normal1 : joint->normal2);
    default:
      return turn();  // a screw's too: how far it slid only tells the whole turns
  }
}

bool CutPlace::moves_with_b(int component) const {
  return joint->type == JointType::spherical || (joint->type == JointType::universal && component == 1) ||
         (joint->type == JointType::free && component < 3);
}

std::pair<MovingVector, MovingVector> CutPlace::direction(int component) const {
  const int turn_of = moves_with_b(component) ? kTurnOfB : kTurnOfA;
  const Vec6 column = state->h.col(component);
  return {fixed_in(turn_of, column.head<3>()), fixed_in(turn_of, column.tail<3>())};
}

std::pair<MovingVector, MovingVector> CutPlace::dual_direction(int component) const {
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

CutPlace placed(int cut, const Kinematics& kinematics, const Vec3& center) {
  const Joint& joint = kinematics.mechanism().cut_joints()[index_of(cut)];
  CutPlace place;
  place.joint = &joint;
  place.state = &kinematics.cut_joint(cut);
  place.share_of_b = share_of_b(joint);
  place.origin_a.value = kinematics.world_point(joint.a, joint.position_a) - center;
  place.origin_a.slopes.leftCols<6>() = motion_of_point(place.origin_a.value);
  place.origin_b.value = kinematics.world_point(joint.b, joint.position_b) - center;
  place.origin_b.slopes.middleCols<6>(kOfB) = motion_of_point(place.origin_b.value);
  place.displacement = combination(1.0, place.origin_b, -1.0, place.origin_a);
  place.point = combination(place.share_of_b, place.origin_b, 1.0 - place.share_of_b, place.origin_a);
  return place;
}

/// Slopes of a wrench times the velocity of b less that of a. \param wrench held where its slopes say
CutComponent::Row slopes_of_power(const Vec6& wrench, const WrenchSlopes& wrench_slopes, const Vec6& relative) {
  CutComponent::Row slopes = relative.transpose() * wrench_slopes;
  slopes.middleCols<6>(kVelocityOfA) -= wrench.transpose();
  slopes.middleCols<6>(kVelocityOfB) += wrench.transpose();
  return slopes;
}

}  // namespace

CutComponent cut_component(int cut, int component, const Kinematics& kinematics, const CutReferences& near,
                           const Vec3& center) {
  const CutPlace place = placed(cut, kinematics, center);
  const Joint& joint = *place.joint;
  CutComponent result;
  if (has_coordinate_rates(joint.type)) {
    std::array<double, 7> coordinates{};
    cut_coordinates(joint, *place.state, near.of(cut), coordinates);
    result.q = coordinates[index_of(component)];
    result.q_slopes = place.coordinate(component);
  }
  const auto [force, torque] = place.dual_direction(component);
  result.wrench << force.value, torque.value + place.point.value.cross(force.value);
  result.wrench_slopes =
      slopes_of_wrench(place.point.value, place.point.slopes, force.value, force.slopes, torque.slopes);
  const Vec6 relative = kinematics.velocity_at(joint.b, center) - kinematics.velocity_at(joint.a, center);
  result.v = result.wrench.dot(relative);
  result.v_slopes = slopes_of_power(result.wrench, result.wrench_slopes, relative);
  return result;
}

CutVelocitySlopes cut_velocity_slopes(int cut, const Kinematics& kinematics, const Vec6& relative, const Vec3& center) {
  const CutPlace place = placed(cut, kinematics, center);
  const Joint& joint = *place.joint;
  CutVelocitySlopes along;
  along.u.setZero(joint.nu);
  along.slopes.setZero(joint.nu, linear::LoopCut::kSlopes);
  for (int i = 0; i < joint.nu; ++i) {
    const auto [force, torque] = place.direction(i);
    Vec6 wrench;
    wrench << force.value, torque.value + place.point.value.cross(force.value);
    along.u[i] = wrench.dot(relative);
    along.slopes.row(i) = slopes_of_power(
        wrench, slopes_of_wrench(place.point.value, place.point.slopes, force.value, force.slopes, torque.slopes),
        relative);
  }
  const JointMatrix gram_inverse = motion_gram_inverse(joint);
  CutVelocitySlopes result = along;
  result.u.noalias() = gram_inverse.lazyProduct(along.u);
  result.slopes.noalias() = gram_inverse.lazyProduct(along.slopes);
  return result;
}

CutAccelerationSlopes cut_acceleration_slopes(int cut, const Kinematics& kinematics,
                                              const std::pair<Vec6, Vec6>& velocities, const Vec6& pulled,
                                              const Vec3& center) {
  const CutPlace place = placed(cut, kinematics, center);
  const Joint& joint = *place.joint;
  const CutVelocitySlopes velocity = cut_velocity_slopes(cut, kinematics, velocities.second - velocities.first, center);
  const MovingVector spin_a = velocity_at(kSpinOfA, velocities.first.tail<3>());
  const MovingVector spin_b = velocity_at(kSpinOfB, velocities.second.tail<3>());
  const auto rate_of = [](const MovingVector& linear, const MovingVector& spin, const MovingVector& origin) {
    return combination(1.0, linear, 1.0, cross_of(spin, origin));
  };
  const MovingVector point_rate = combination(
      place.share_of_b, rate_of(velocity_at(kVelocityOfB, velocities.second.head<3>()), spin_b, place.origin_b),
      1.0 - place.share_of_b, rate_of(velocity_at(kVelocityOfA, velocities.first.head<3>()), spin_a, place.origin_a));
  // W' - sum of H' u, W the velocity of b less that of a at the point.
  const MovingVector pulled_spin{pulled.tail<3>(), VectorSlopes::Zero()};
  MovingVector angular = pulled_spin;
  MovingVector linear = combination(1.0, cross_of(pulled_spin, place.point), 1.0,
                                    cross_of(combination(1.0, spin_b, -1.0, spin_a), point_rate));
  linear.value += pulled.head<3>();
  for (int i = 0; i < joint.nu; ++i) {
    const auto [force, torque] = place.direction(i);
    const MovingVector& spin = place.moves_with_b(i) ? spin_b : spin_a;
    const MovingNumber speed{velocity.u[i], velocity.slopes.row(i)};
    linear = combination(1.0, linear, -1.0, times(speed, cross_of(spin, force)));
    angular = combination(1.0, angular, -1.0, times(speed, cross_of(spin, torque)));
  }
  CutAccelerationSlopes along;
  along.rates.setZero(joint.nu);
  along.slopes.setZero(joint.nu, linear::LoopCut::kSlopes);
  along.by_acceleration.setZero(joint.nu, 6);
  for (int i = 0; i < joint.nu; ++i) {
    const auto [force, torque] = place.direction(i);
    const MovingNumber of_force = dot_of(force, linear);
    const MovingNumber of_torque = dot_of(torque, angular);
    along.rates[i] = of_force.value + of_torque.value;
    along.slopes.row(i) = of_force.slopes + of_torque.slopes;
    along.by_acceleration.row(i) << force.value.transpose(),
        (torque.value + place.point.value.cross(force.value)).transpose();
  }
  const JointMatrix gram_inverse = motion_gram_inverse(joint);
  CutAccelerationSlopes result = along;
  result.rates.noalias() = gram_inverse.lazyProduct(along.rates);
  result.slopes.noalias() = gram_inverse.lazyProduct(along.slopes);
  result.by_acceleration.noalias() = gram_inverse.lazyProduct(along.by_acceleration);
  return result;
}

}  // namespace mbdbench
