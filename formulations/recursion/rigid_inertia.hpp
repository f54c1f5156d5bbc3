#pragma once
/// \file
/// Spatial inertia of a rigid body about any point.
#include "mechanisms/model/kinematics/spatial.hpp"

namespace mbdbench {

/// \returns M_O of a rigid body about O = C - l. \param central_inertia J_C, same axes as l
inline Mat6 rigid_inertia(double mass, const Mat3& central_inertia, const Vec3& l) {
  const Mat3 l_skew = skew(l);
  Mat6 inertia;
  inertia.topLeftCorner<3, 3>() = mass * Mat3::Identity();
  inertia.topRightCorner<3, 3>() = -mass * l_skew;
  inertia.bottomLeftCorner<3, 3>() = mass * l_skew;
  inertia.bottomRightCorner<3, 3>() = central_inertia - mass * l_skew * l_skew;
  return inertia;
}

}  // namespace mbdbench
