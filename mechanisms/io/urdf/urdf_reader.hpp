#pragma once
/// \file
/// Mechanisms from URDF, the format of robots in ROS; docs/using/mechanisms/robots.md says what is taken and what is
/// refused.
#include <tinyxml2.h>

#include <string_view>

#include "mechanisms/io/robot_options.hpp"
#include "mechanisms/io/text/source_lines.hpp"
#include "mechanisms/model/description/description.hpp"

namespace mbdbench {

/// Makes a description of `<robot>`; whether it makes sense as a mechanism is left to `Mechanism`. The root link is the
/// ground, or a free body with `options.floating`. Links that are fixed to another one are part of that one, and
/// markers on it. What was read otherwise than it stands is told in the description's notes.
/// \param file_name for messages \param lines receives those of bodies and joints
/// \throws FileError with all that is wrong, by line, each with what would be right
MechanismDescription read_urdf(const tinyxml2::XMLElement& robot, std::string_view file_name,
                               const RobotOptions& options, SourceLines& lines);

}  // namespace mbdbench
