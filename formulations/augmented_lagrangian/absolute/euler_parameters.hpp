#pragma once
/// \file
/// Euler parameters e = (w, x, y, z) of a body and its angular velocity in body axes: omega' = 2 L e', e' = L^T omega'
/// / 2 for unit e, with L the 3 x 4 matrix whose rows are orthonormal and normal to e.
#include <Eigen/Core>

#include "mechanisms/model/kinematics/spatial.hpp"

namespace mbdbench {

using EulerParameters = Eigen::Vector4d;

/// \returns L(e), linear in e. For unit e: L L^T = I, L e = 0, L^T L = I - e e^T.
inline Eigen::Matrix<double, 3, 4> euler_parameter_map(const EulerParameters& e) {
  Eigen::Matrix<double, 3, 4> l;
  l << -e[1], e[0], e[3], -e[2],  //
      -e[2], -e[3], e[0], e[1],   //
      -e[3], e[2], -e[1], e[0];
  return l;
}

/// \returns omega' = 2 L e' in body axes. \param e unit \param rate e'
inline Vec3 angular_velocity(const EulerParameters& e, const EulerParameters& rate) {
  return {2.0 * ((e[0] * rate[1] - e[1] * rate[0]) + (e[3] * rate[2] - e[2] * rate[3])),
          2.0 * ((-e[2] * rate[0] - e[3] * rate[1]) + (e[0] * rate[2] + e[1] * rate[3])),
          2.0 * ((e[2] * rate[1] - e[3] * rate[0]) + (e[0] * rate[3] - e[1] * rate[2]))};
}

/// \returns e' = L^T omega' / 2. \param e unit \param omega in body axes
inline EulerParameters euler_parameter_rate(const EulerParameters& e, const Vec3& omega) {
  const Vec3 half = 0.5 * omega;
  return {-e[1] * half[0] - (e[2] * half[1] + e[3] * half[2]), e[0] * half[0] + (e[2] * half[2] - e[3] * half[1]),
          e[3] * half[0] + (e[0] * half[1] - e[1] * half[2]), -e[2] * half[0] + (e[1] * half[1] + e[0] * half[2])};
}

/// \returns the unit Euler parameters of a rotation matrix, of the two the ones nearer to `near`.
inline EulerParameters euler_parameters(const Mat3& rotation, const EulerParameters& near) {
  const Eigen::Quaterniond quaternion(rotation);
  const EulerParameters e =
      EulerParameters(quaternion.w(), quaternion.x(), quaternion.y(), quaternion.z()).normalized();
  return e.dot(near) < 0.0 ? EulerParameters(-e) : e;
}

}  // namespace mbdbench
