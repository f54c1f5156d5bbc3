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

/// \returns the unit Euler parameters of a rotation matrix, of the two the ones nearer to `near`.
inline EulerParameters euler_parameters(const Mat3& rotation, const EulerParameters& near) {
  const Eigen::Quaterniond quaternion(rotation);
  const EulerParameters e =
      EulerParameters(quaternion.w(), quaternion.x(), quaternion.y(), quaternion.z()).normalized();
  return e.dot(near) < 0.0 ? EulerParameters(-e) : e;
}

}  // namespace mbdbench
