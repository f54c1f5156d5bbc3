#pragma once
/// \file
/// Mechanisms as MJCF, the models of MuJoCo.
#include <string>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// \returns a model with the same bodies and joints. Joints of several freedoms are MuJoCo's in a row, named JOINT_1,
/// JOINT_2, ...: free ones three slides and a ball, so that velocities are ours. Loops are closed by `connect` (two of
/// a revolute cut joint, one of a spherical one) and `weld` (a fixed one), which are soft there. Couplings are
/// equality constraints between joints, of three and more coordinates between fixed tendons, soft too. Springs and
/// dampers in joints of one coordinate are kept; a comment names the loads that are left out. The key frame "start" is
/// our initial state. \throws ModelError for other cut joints, for prescribed motions, and for bodies and depths that
/// MuJoCo would refuse
std::string write_mjcf(const Mechanism& mechanism);

/// \returns how many elements of that model stand inside one another: a body lies in the one that carries it.
int mjcf_levels(const Mechanism& mechanism);

}  // namespace mbdbench
