#pragma once
/// \file
/// Initial coordinates and velocities that a user sets by name, in place of the mechanism's own.
#include <span>
#include <string>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// \param assignments "q.joint1=0.5", "v.joint3=1"; components of joints with several: "q.hip.2=0.1", counted from 1.
/// The
///        names are those of trajectory columns. Loops are closed again from the new values.
/// \returns the mechanism with these initial values.
/// \throws std::invalid_argument for a name that does not exist (listing those that do), ModelError from the mechanism
Mechanism with_initial_values(const Mechanism& mechanism, std::span<const std::string> assignments);

}  // namespace mbdbench
