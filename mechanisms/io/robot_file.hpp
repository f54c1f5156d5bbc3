#pragma once
/// \file
/// Mechanisms from the XML files of robots: URDF or MJCF, whatever the name says.
#include <string_view>

#include "mechanisms/io/robot_options.hpp"
#include "mechanisms/io/source_lines.hpp"
#include "mechanisms/model/description/description.hpp"

namespace mbdbench {

/// \param file_name for messages \param lines receives those of bodies and joints
/// \throws FileError for what is no XML, or neither `<robot>` nor `<mujoco>`, and with all that their readers find
MechanismDescription parse_robot(std::string_view text, std::string_view file_name, const RobotOptions& options,
                                 SourceLines& lines);

}  // namespace mbdbench
