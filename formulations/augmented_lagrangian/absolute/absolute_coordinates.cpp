#include "formulations/augmented_lagrangian/absolute/absolute_coordinates.hpp"

namespace mbdbench {
namespace {

EulerParameters unit_parameters(const double* y) {
  return EulerParameters(y[3], y[4], y[5], y[6]).normalized();
}

}  // namespace

void absolute_positions(const Kinematics& kinematics, std::span<double> y) {
  for (int i = 0; i < kinematics.mechanism().body_count(); ++i) {
    double* own = y.data() + kAbsoluteCoordinates * static_cast<std::size_t>(i);
    const BodyKinematics& body = kinematics.body(i);
    Eigen::Map<Vec3>{own} = body.com;
    Eigen::Map<EulerParameters> e(own + 3);
    e = euler_parameters(body.rotation, e);
  }
}

void absolute_rates(std::span<const double> y, std::span<const Vec6> velocities, std::span<double> rates) {
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    const double* own = y.data() + kAbsoluteCoordinates * i;
    double* rate = rates.data() + kAbsoluteCoordinates * i;
    const Vec3 omega = rotation_of_quaternion(own[3], own[4], own[5], own[6]).transpose() * velocities[i].tail<3>();
    Eigen::Map<Vec3>{rate} = velocities[i].head<3>();
    Eigen::Map<EulerParameters>{rate + 3} = euler_parameter_rate(unit_parameters(own), omega);
  }
}

void set_body_velocity(const Mat3& rotation, const double* own, const double* rates, Vec6& velocity) {
  const Vec3 omega = angular_velocity(unit_parameters(own), Eigen::Map<const EulerParameters>(rates + 3));
  velocity.head<3>() = Eigen::Map<const Vec3>(rates);
  velocity.tail<3>() = rotation * omega;
}

void body_velocities(std::span<const double> y, std::span<const double> rates, std::span<Vec6> velocities) {
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    const double* own = y.data() + kAbsoluteCoordinates * i;
    set_body_velocity(rotation_of_quaternion(own[3], own[4], own[5], own[6]), own,
                      rates.data() + kAbsoluteCoordinates * i, velocities[i]);
  }
}

void tree_coordinates(const AbsoluteKinematics& kinematics, std::span<const double> near, std::span<double> q) {
  for (int k = 0; k < kinematics.mechanism().body_count(); ++k) {
    const Joint& joint = kinematics.joint(k);
    const auto first = static_cast<std::size_t>(joint.q_offset);
    const auto count = static_cast<std::size_t>(joint.nq);
    joint_coordinates(joint, kinematics.pose(k), near.subspan(first, count), q.subspan(first, count));
  }
}

void tree_velocities(const AbsoluteKinematics& kinematics, std::span<double> u) {
  for (int k = 0; k < kinematics.mechanism().body_count(); ++k) {
    const Joint& joint = kinematics.joint(k);
    Eigen::Map<Eigen::VectorXd>(u.data() + joint.u_offset, joint.nu).noalias() = kinematics.gram_inverse(k).lazyProduct(
        kinematics.joint_state(k).h.transpose().lazyProduct(kinematics.relative_velocity(k)));
  }
}

}  // namespace mbdbench
