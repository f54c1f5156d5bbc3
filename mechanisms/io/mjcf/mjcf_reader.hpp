#pragma once
/// \file
/// Mechanisms from MJCF, the models of MuJoCo: bodies, joints, inertias, also from geoms, defaults, and loops.
#include <string_view>

#include "mechanisms/io/robot_options.hpp"
#include "mechanisms/io/text/source_lines.hpp"
#include "mechanisms/model/description/description.hpp"

namespace tinyxml2 {
class XMLDocument;
}  // namespace tinyxml2

namespace mbdbench {

/// Makes a description of `<mujoco>`; docs/using/mechanisms/robots.md says what is taken. Bodies without joints are
/// part of the one around them. Several joints of a body are one of ours where there is one, else a row of them with
/// massless bodies between. What was read otherwise than it stands is told in the description's notes. \param model
/// whose outermost element is `<mujoco>`; `<include>` elements are resolved in it \param file_name for messages and to
/// find included files \param lines receives those of bodies and joints \throws FileError with all that is wrong, by
/// line, each with what would be right
MechanismDescription read_mjcf(tinyxml2::XMLDocument& model, std::string_view file_name, const RobotOptions& options,
                               SourceLines& lines);

}  // namespace mbdbench
