#pragma once
/// \file
/// What an MJCF file says beside bodies, joints and equalities that would move the robot otherwise: obeyed or refused.
#include "mechanisms/io/mjcf/mjcf_defaults.hpp"
#include "mechanisms/io/robot_options.hpp"

namespace mbdbench::mjcf {

/// Errors for `<option>` with forces of a fluid, and for flags that switch forces or equalities off.
/// \returns whether it switches gravity off
bool read_flags(const XMLElement& option, const Defaults& defaults, Findings& findings);

/// Errors for tendons with stiffness, damping, friction or armature; one that only limits or measures does nothing.
void refuse_tendon_forces(const XMLElement& tendons, const Defaults& defaults, const RobotOptions& options,
                          Findings& findings);

}  // namespace mbdbench::mjcf
