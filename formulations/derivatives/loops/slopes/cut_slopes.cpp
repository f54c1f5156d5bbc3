#include "formulations/derivatives/loops/joint_place.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/handle_share.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace mbdbench {
namespace {

JointPlace placed(int cut, const Kinematics& kinematics, const Vec3& center) {
  const Joint& joint = kinematics.mechanism().cut_joints()[index_of(cut)];
  return {joint, kinematics.cut_joint(cut), kinematics.world_point(joint.a, joint.position_a) - center,
          kinematics.world_point(joint.b, joint.position_b) - center, share_of_b(joint)};
}

}  // namespace

CutComponent cut_component(int cut, int component, const Kinematics& kinematics, const CutReferences& near,
                           const Vec3& center) {
  const JointPlace place = placed(cut, kinematics, center);
  const Joint& joint = *place.joint;
  CutComponent result;
  if (has_coordinate_rates(joint.type)) {
    std::array<double, 7> coordinates{};
    cut_coordinates(joint, *place.state, near.of(cut), coordinates);
    result.q = coordinates[index_of(component)];
    result.q_slopes = place.coordinate(component);
  }
  const MovingWrench wrench = place.wrench_of(place.dual_direction(component));
  result.wrench = wrench.value;
  result.wrench_slopes = wrench.slopes;
  const MovingNumber speed =
      wrench.power(kinematics.velocity_at(joint.b, center) - kinematics.velocity_at(joint.a, center));
  result.v = speed.value;
  result.v_slopes = speed.slopes;
  return result;
}

CutVelocitySlopes cut_velocity_slopes(int cut, const Kinematics& kinematics, const Vec6& relative, const Vec3& center) {
  const JointPlace place = placed(cut, kinematics, center);
  const Joint& joint = *place.joint;
  CutVelocitySlopes along;
  along.u.setZero(joint.nu);
  along.slopes.setZero(joint.nu, linear::LoopCut::kSlopes);
  for (int i = 0; i < joint.nu; ++i) {
    const MovingNumber speed = place.wrench_of(place.direction(i)).power(relative);
    along.u[i] = speed.value;
    along.slopes.row(i) = speed.slopes;
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
  const JointPlace place = placed(cut, kinematics, center);
  const Joint& joint = *place.joint;
  const double share = share_of_b(joint);
  const CutVelocitySlopes velocity = cut_velocity_slopes(cut, kinematics, velocities.second - velocities.first, center);
  const MovingVector spin_a = velocity_part(kSpinOfA, velocities.first.tail<3>());
  const MovingVector spin_b = velocity_part(kSpinOfB, velocities.second.tail<3>());
  const auto rate_of = [](const MovingVector& linear, const MovingVector& spin, const MovingVector& origin) {
    return combination(1.0, linear, 1.0, cross_of(spin, origin));
  };
  const MovingVector point_rate = combination(
      share, rate_of(velocity_part(kVelocityOfB, velocities.second.head<3>()), spin_b, place.origin_b), 1.0 - share,
      rate_of(velocity_part(kVelocityOfA, velocities.first.head<3>()), spin_a, place.origin_a));
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
