#pragma once
/// \file
/// Mechanisms from URDF, the format of robots in ROS; docs/mechanism_format.md says what is taken and what is refused.
#include <string_view>

#include "mechanisms/io/source_lines.hpp"
#include "mechanisms/model/description/description.hpp"

namespace mbdbench {

/// Reads what the text says; whether it makes sense as a mechanism is left to `Mechanism`. The root link is the ground.
/// \param file_name for messages \param lines receives those of bodies and joints
/// \throws FileError with the line and what would be right: syntax, missing elements, unknown joint types, closed
///         loops, and what would be lost: transmissions, friction
MechanismDescription parse_urdf(std::string_view text, std::string_view file_name, SourceLines& lines);

}  // namespace mbdbench
