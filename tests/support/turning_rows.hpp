#pragma once
/// \file
/// What the linear rows of open cut joints change by in world axes because the axes turn in which Phi is differentiated
/// (joint_kinematics.hpp).
#include "mechanisms/model/kinematics/kinematics.hpp"

namespace mbdbench::test {

/// \returns half of (omega_a + omega_b) x the linear rows of `values` for cut joints between two moving bodies that do
/// not
///          slide, zero in all other rows. \param kinematics with velocities \param values one entry a row of Phi
inline Eigen::VectorXd turned_with_both_bodies(const Kinematics& kinematics, const Eigen::VectorXd& values) {
  Eigen::VectorXd turned = Eigen::VectorXd::Zero(values.size());
  for (const Joint& cut : kinematics.mechanism().cut_joints()) {
    if (cut.world_linear && cut.a >= 0 && cut.b >= 0) {
      const Vec3 turn = kinematics.body(cut.a).velocity.tail<3>() + kinematics.body(cut.b).velocity.tail<3>();
      turned.segment<3>(cut.row_offset) = 0.5 * turn.cross(Vec3(values.segment<3>(cut.row_offset)));
    }
  }
  return turned;
}

}  // namespace mbdbench::test
