#pragma once
/// \file
/// Mechanisms from the XML files of robots: URDF or MJCF, whatever the name says.
#include <string_view>

#include "mechanisms/io/robot_options.hpp"
#include "mechanisms/io/text/source_lines.hpp"
#include "mechanisms/model/description/description.hpp"

namespace mbdbench {

/// \returns how many elements may stand inside one another in a file that is read here: the XML library of the
/// installation walks by recursion and has a limit of its own, which differs from release to release.
int deepest_xml_level();

/// \param file_name for messages \param lines receives those of bodies and joints
/// \throws FileError for what is no XML, or neither `<robot>` nor `<mujoco>`, and with all that their readers find
MechanismDescription parse_robot(std::string_view text, std::string_view file_name, const RobotOptions& options,
                                 SourceLines& lines);

}  // namespace mbdbench
