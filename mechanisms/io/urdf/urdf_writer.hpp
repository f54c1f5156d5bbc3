#pragma once
/// \file
/// Mechanisms as URDF, the robot descriptions of ROS.
#include <string>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// \returns a robot from whose text `parse_mechanism` makes a mechanism with the same coordinates and, to rounding, the
/// same accelerations. A link's frame is that of the joint which leads to it; the ground is the link "ground". Dampers
/// without springs in revolute and prismatic joints are kept; a comment names the loads that are left out. URDF has
/// neither gravity nor an initial state.
/// \throws ModelError for cut joints, prescribed motions and joint types that URDF has not
std::string write_urdf(const Mechanism& mechanism);

}  // namespace mbdbench
