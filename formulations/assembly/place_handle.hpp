#pragma once
/// \file
/// The columns of one handle in a body's B = [e_h X_h^T D_h].
#include "mechanisms/model/kinematics/spatial.hpp"

namespace mbdbench {

/// Writes e_h X_h^T D_h: D shifted from the handle to the centre of mass.
/// \param directions D of the joint, columns about the handle's point \param sign e_h: +1 on body b, -1 on a
/// \param lever handle minus centre of mass \param handles B, 6 x rows, row-major \param column the handle's first
inline void place_handle(const SpatialColumns& directions, double sign, const Vec3& lever, double* handles, int rows,
                         int column) {
  for (Eigen::Index c = 0; c < directions.cols(); ++c, ++column) {
    const Vec3 force = sign * directions.col(c).head<3>();
    const Vec3 torque = sign * directions.col(c).tail<3>() + lever.cross(force);
    for (int i = 0; i < 3; ++i) {
      handles[i * rows + column] = force[i];
      handles[(3 + i) * rows + column] = torque[i];
    }
  }
}

}  // namespace mbdbench
