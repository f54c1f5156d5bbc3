#pragma once
/// \file
/// A joint as the passes know it whose rows are equations, be it cut or of the tree.
#include "formulations/derivatives/loops/passes/cut_motion.hpp"
#include "mechanisms/model/kinematics/joint_kinematics.hpp"

namespace mbdbench {

/// \param origin_a, origin_b of the joint's frames on its bodies, world axes, less the common point \param share_of_b
/// of the way from the one to the other where its point is \param state axes
void place_shape(const Joint& joint, const JointKinematics& state, const Vec3& origin_a, const Vec3& origin_b,
                 double share_of_b, linear::CutShape& shape);

}  // namespace mbdbench
