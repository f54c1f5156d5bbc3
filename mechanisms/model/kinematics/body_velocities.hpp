#pragma once
/// \file
/// Velocities of the bodies alone: a third of the time of all that Kinematics knows of velocities.
#include <span>

#include "mechanisms/model/kinematics/kinematics.hpp"

namespace mbdbench {

/// Sets the velocities of all bodies, as Kinematics::set_velocities does, and leaves the rates of joints and of
/// constraints as they are. After set_positions. \param u u_size() entries
void set_velocities_of_bodies(Kinematics& kinematics, std::span<const double> u);

}  // namespace mbdbench
