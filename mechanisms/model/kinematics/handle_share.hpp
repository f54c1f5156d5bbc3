#pragma once
/// \file
/// Where the handle of a joint lies whose origins on its two bodies have drifted apart (joint_kinematics.hpp).
#include "mechanisms/model/description/joint.hpp"

namespace mbdbench {

/// \returns how far O_k is on the way from the origin on a to that on b: 1/2 in cut joints that hold two moving bodies.
double share_of_b(const Joint& joint);

}  // namespace mbdbench
