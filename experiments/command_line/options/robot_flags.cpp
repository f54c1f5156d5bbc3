#include "experiments/command_line/options/robot_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <stdexcept>

#include "experiments/terminal/message.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

namespace {

constexpr const char* kFlags = "--floating, --ignore, --friction, --stops, --armature and --fixed";

bool any_of(const RobotFlags& flags) {
  return flags.floating || !flags.ignored.empty() || flags.fixed == "keep" || flags.friction > 0.0 ||
         flags.stops > 0.0 || flags.armature > 0.0;
}

}  // namespace

void add_robot_flags(CLI::App& command, RobotFlags& flags) {
  command.add_flag("--floating", flags.floating,
                   "Robots' files: a free joint for the root link, which otherwise is the ground");
  command
      .add_option("--ignore", flags.ignored,
                  "Robots' files: leave out friction or armature (otherwise refused) or limits (otherwise a note), "
                  "separated by commas")
      ->delimiter(',')
      ->check(CLI::IsMember({"armature", "friction", "limits"}))
      ->allow_extra_args(false);
  command
      .add_option("--friction", flags.friction,
                  "Robots' files: model dry friction, regularised below this velocity (rad/s or m/s); otherwise it is "
                  "refused")
      ->check(CLI::PositiveNumber);
  command
      .add_option("--stops", flags.stops,
                  "Robots' files: model limits as one-sided springs of this stiffness (N m/rad or N/m)")
      ->check(CLI::PositiveNumber);
  command
      .add_option("--armature", flags.armature,
                  "MJCF: model armature as a rotor behind a gear of this ratio; otherwise it is refused")
      ->check(CLI::PositiveNumber);
  command
      .add_option(
          "--fixed", flags.fixed,
          "Robots' files: keep links that are fixed to others as bodies, with reactions, or merge them (default)")
      ->check(CLI::IsMember({"keep", "merge"}));
}

std::string with_robot_flags(const std::string& word, const RobotFlags& flags) {
  const bool keeps = flags.fixed == "keep";
  if (word.empty() || !any_of(flags)) {
    return word;
  }
  const auto [file, text] = split_robot_word(word);
  if (!is_robot_file(file)) {
    throw std::invalid_argument(
        fmt::format("{} are for robots' files (.urdf, .xml, .mjcf), and '{}' is not such a file", kFlags, word));
  }
  const auto ignores = [&](const char* what) {
    return std::find(flags.ignored.begin(), flags.ignored.end(), what) != flags.ignored.end();
  };
  RobotOptions options = parse_robot_options(text);
  options.floating = options.floating || flags.floating;
  options.keep_fixed = options.keep_fixed || keeps;
  options.ignore_armature = options.ignore_armature || ignores("armature");
  options.ignore_friction = options.ignore_friction || ignores("friction");
  options.ignore_limits = options.ignore_limits || ignores("limits");
  options.friction_velocity = flags.friction > 0.0 ? flags.friction : options.friction_velocity;
  options.stop_stiffness = flags.stops > 0.0 ? flags.stops : options.stop_stiffness;
  options.armature_ratio = flags.armature > 0.0 ? flags.armature : options.armature_ratio;
  require_consistent(options);
  return fmt::format("{}[{}]", file, to_text(options));
}

void apply_robot_flags(std::vector<std::string>& words, const RobotFlags& flags) {
  if (!any_of(flags)) {
    return;
  }
  bool used = false;
  for (std::string& word : words) {
    if (is_robot_file(split_robot_word(word).first)) {
      word = with_robot_flags(word, flags);
      used = true;
    }
  }
  if (!used) {
    throw std::invalid_argument(
        fmt::format("{} are for robots' files (.urdf, .xml, .mjcf), and no -m names one", kFlags));
  }
}

void print_notes(const Mechanism& mechanism) {
  if (const std::vector<std::string>& notes = mechanism.description().notes; !notes.empty()) {
    tell("mbdbench: {}:\n  {}\n", mechanism.name(), fmt::join(notes, "\n  "));
  }
}

}  // namespace mbdbench
