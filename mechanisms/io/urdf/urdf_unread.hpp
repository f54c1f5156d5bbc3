#pragma once
/// \file
/// What of a URDF file has no meaning here.
#include "mechanisms/io/urdf/urdf_element.hpp"

namespace mbdbench::urdf {

/// Macros would vanish, or stand for numbers: an error for each kind of them. Nothing else that is wrong counts before
/// they are resolved. \param robot the outermost element
void check_macros(const XMLElement& robot, Findings& findings);

/// Counts in a note what is not read, so that nothing is lost silently; an error for what would move the robot
/// otherwise: elements of other programs that add joints, loops or forces.
void note_unread(const XMLElement& robot, Findings& findings);

}  // namespace mbdbench::urdf
