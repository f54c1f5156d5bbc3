#pragma once
/// \file
/// Options for the files of robots, the same for every command that takes a mechanism.
#include <string>
#include <vector>

#include "mechanisms/io/robot_options.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
}

namespace mbdbench {

class Mechanism;

/// What --floating, --ignore, --friction, --stops, --armature and --fixed were given.
struct RobotFlags {
  bool floating = false;
  std::vector<std::string> ignored;
  std::string fixed;
  double friction = 0.0;  ///< 0: not given
  double stops = 0.0;     ///< 0: not given
  double armature = 0.0;  ///< 0: not given
};

/// Adds these options. \param flags must outlive the parser
void add_robot_flags(CLI::App& command, RobotFlags& flags);

/// \returns the mechanism's word with the flags as options in brackets: "arm.urdf[floating]", added to those it has.
/// \throws std::invalid_argument where there are flags and the word is no robot's file
std::string with_robot_flags(const std::string& word, const RobotFlags& flags);

/// The same for those of several words that are robots' files. \throws std::invalid_argument where none of them is
void apply_robot_flags(std::vector<std::string>& words, const RobotFlags& flags);

/// Tells on standard error what the reader of a robot's file left out or renamed.
void print_notes(const Mechanism& mechanism);

}  // namespace mbdbench
