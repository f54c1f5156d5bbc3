#pragma once
/// \file
/// What a user asks of a robot's file that the file itself does not say.
#include <string>
#include <string_view>
#include <utility>

namespace mbdbench {

/// Choices for URDF and MJCF files. TOML files have none: they say everything themselves.
struct RobotOptions {
  bool floating = false;           ///< the root link gets a free joint to the ground, instead of being the ground
  bool ignore_friction = false;    ///< dry friction of joints is left out, which otherwise is refused
  bool ignore_armature = false;    ///< the inertia of motors that MJCF adds to joints is left out, else refused
  bool ignore_limits = false;      ///< no note that joint stops are not modelled
  double friction_velocity = 0.0;  ///< where positive, dry friction is modelled, regularised below it (rad/s or m/s)
  double stop_stiffness = 0.0;     ///< where positive, limits are stops of this stiffness (N m/rad or N/m)
  double armature_ratio = 0.0;     ///< where positive, armature is a rotor behind a gear of this ratio
  bool keep_fixed = false;         ///< links that are fixed to another one stay bodies, with the reactions of the joint

  bool operator==(const RobotOptions&) const = default;
};

/// \param text "floating,ignore=armature,friction=0.01,stops=1e4,armature=50,fixed=keep"
/// \throws std::invalid_argument naming the word that is wrong and those that are known, or two that contradict
RobotOptions parse_robot_options(std::string_view text);

/// \throws std::invalid_argument where something is to be ignored and modelled
void require_consistent(const RobotOptions& options);

/// \returns the text that `parse_robot_options` reads; empty without any choice.
std::string to_text(const RobotOptions& options);

/// \returns a word like "arm.urdf[floating]" as the file's name and the text in brackets, which is empty where the word
///          has none, or none behind the name of a robot's file (.urdf, .xml, .mjcf)
std::pair<std::string, std::string> split_robot_word(const std::string& word);

/// \returns whether the name ends in .urdf, .xml or .mjcf, in small letters or capitals.
bool is_robot_file(std::string_view name);

}  // namespace mbdbench
