#include "formulations/augmented_lagrangian/derivatives/body_slopes.hpp"

namespace mbdbench {
namespace {

constexpr int kE = 3;       // where e stands
constexpr int kRate = 7;    // r'
constexpr int kERate = 10;  // e'

/// \returns L(e)^T w by e, which is linear in e.
Eigen::Matrix4d turned_by_parameters(const Vec3& w) {
  Eigen::Matrix4d slopes;
  for (int i = 0; i < 4; ++i) {
    slopes.col(i) = euler_parameter_map(EulerParameters::Unit(i)).transpose() * w;
  }
  return slopes;
}

}  // namespace

BodySlopes body_slopes(const EulerParameters& e, const EulerParameters& e_rate, const Mat3& rotation,
                       const Vec6& acceleration) {
  const double length = e.norm();
  const EulerParameters unit = e / length;
  const Eigen::Matrix<double, 3, 4> map = euler_parameter_map(unit);
  const Eigen::Matrix4d unit_slopes = (Eigen::Matrix4d::Identity() - unit * unit.transpose()) / length;
  const Vec3 omega = 2.0 * map * e_rate;  // body axes
  const Vec3 omega_rate = rotation.transpose() * acceleration.tail<3>();

  BodySlopes slopes;
  slopes.twist.setZero();
  slopes.twist.topLeftCorner<3, 3>().setIdentity();
  const Eigen::Matrix<double, 3, 4> turn = rotation * (2.0 / length * map);
  slopes.twist.block<3, 4>(3, kE) = turn;
  slopes.twist.block<3, 3>(6, kRate).setIdentity();
  // L(a) b = -L(b) a.
  const Eigen::Matrix<double, 3, 4> omega_by_e = -2.0 * euler_parameter_map(e_rate) * unit_slopes;
  const Eigen::Matrix<double, 3, 4> omega_by_rate = 2.0 * map;
  const Vec3 omega_world = rotation * omega;
  slopes.twist.block<3, 4>(9, kE) = rotation * omega_by_e - skew(omega_world) * turn;
  slopes.twist.block<3, 4>(9, kERate) = rotation * omega_by_rate;

  slopes.rates.setZero();
  slopes.rates.block<3, 3>(0, kRate).setIdentity();
  slopes.rates.block<4, 4>(kE, kE) =
      0.5 * map.transpose() * omega * unit.transpose() +
      0.5 * length * (turned_by_parameters(omega) * unit_slopes + map.transpose() * omega_by_e);
  slopes.rates.block<4, 4>(kE, kERate) = 0.5 * length * map.transpose() * omega_by_rate;
  const Mat3 by_turn = rotation.transpose() * skew(acceleration.tail<3>());  // of omega' in body axes, omega' held
  slopes.rates.block<4, 4>(kERate, kE) =
      0.5 * turned_by_parameters(omega_rate) * unit_slopes + 0.5 * map.transpose() * by_turn * turn -
      0.5 * unit * (omega.transpose() * omega_by_e) - 0.25 * omega.squaredNorm() * unit_slopes;
  slopes.rates.block<4, 4>(kERate, kERate) = -0.5 * unit * (omega.transpose() * omega_by_rate);

  slopes.by_acceleration.setZero();
  slopes.by_acceleration.block<3, 3>(kRate, 0).setIdentity();
  slopes.by_acceleration.block<4, 3>(kERate, 3) = 0.5 * map.transpose() * rotation.transpose();
  return slopes;
}

BodySlopes primal_body_slopes(const EulerParameters& e, const EulerParameters& e_rate, const Mat3& rotation,
                              const Vec6& acceleration, double damping) {
  BodySlopes slopes = body_slopes(e, e_rate, rotation, acceleration);
  const double length = e.norm();
  const EulerParameters unit = e / length;
  const Eigen::Matrix4d unit_slopes = (Eigen::Matrix4d::Identity() - unit * unit.transpose()) / length;
  const double along = unit.dot(e_rate);
  const Eigen::RowVector4d along_by_e = e_rate.transpose() * unit_slopes;
  const double less = along * (along + damping);
  const double less_by_along = 2.0 * along + damping;
  slopes.rates.block<4, 4>(kE, kE) += along * Eigen::Matrix4d::Identity() + e * along_by_e;
  slopes.rates.block<4, 4>(kE, kERate) += e * unit.transpose();
  slopes.rates.block<4, 4>(kERate, kE) -= less * unit_slopes + less_by_along * unit * along_by_e;
  slopes.rates.block<4, 4>(kERate, kERate) -= less_by_along * unit * unit.transpose();
  return slopes;
}

}  // namespace mbdbench
