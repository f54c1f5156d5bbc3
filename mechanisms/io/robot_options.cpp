#include "mechanisms/io/robot_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace mbdbench {
namespace {

constexpr std::array<std::pair<std::string_view, bool RobotOptions::*>, 3> kIgnorable = {
    {{"armature", &RobotOptions::ignore_armature},
     {"friction", &RobotOptions::ignore_friction},
     {"limits", &RobotOptions::ignore_limits}}};

/// \returns what stands between the separators.
std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// \returns the positive number behind the word's equals sign.
double positive_number(const std::string& word) {
  const std::string text = word.substr(word.find('=') + 1);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value > 0.0) || !std::isfinite(value)) {
    throw std::invalid_argument(fmt::format("option {} of a robot's file: '{}' should be a positive number",
                                            word.substr(0, word.find('=')), text));
  }
  return value;
}

}  // namespace

void require_consistent(const RobotOptions& options) {
  for (const auto& [ignored, modelled, words] :
       {std::tuple(options.ignore_friction, options.friction_velocity > 0.0, "friction ignored and modelled"),
        {options.ignore_armature, options.armature_ratio > 0.0, "armature ignored and modelled"},
        {options.ignore_limits, options.stop_stiffness > 0.0, "limits ignored and modelled as stops"}}) {
    if (ignored && modelled) {
      throw std::invalid_argument(fmt::format("options of a robot's file: {} at once; choose one", words));
    }
  }
}

RobotOptions parse_robot_options(std::string_view text) {
  RobotOptions options;
  for (const std::string& word : parts_of(text, ',')) {
    if (word == "floating") {
      options.floating = true;
    } else if (word == "fixed=keep") {
      options.keep_fixed = true;
    } else if (word.starts_with("friction=")) {
      options.friction_velocity = positive_number(word);
    } else if (word.starts_with("armature=")) {
      options.armature_ratio = positive_number(word);
    } else if (word.starts_with("stops=")) {
      options.stop_stiffness = positive_number(word);
    } else if (word.starts_with("ignore=")) {
      for (const std::string& what : parts_of(std::string_view(word).substr(7), '+')) {
        const auto known =
            std::find_if(kIgnorable.begin(), kIgnorable.end(), [&](const auto& one) { return what == one.first; });
        if (known == kIgnorable.end()) {
          throw std::invalid_argument(fmt::format(
              "option ignore of a robot's file: '{}' cannot be ignored; armature, friction and limits can", what));
        }
        options.*known->second = true;
      }
    } else {
      throw std::invalid_argument(fmt::format(
          "options of a robot's file: there is no '{}'; there are floating, fixed=keep, "
          "friction=VELOCITY, stops=STIFFNESS, armature=RATIO and ignore=, with armature, friction and limits and + "
          "between them",
          word));
    }
  }
  require_consistent(options);
  return options;
}

std::string to_text(const RobotOptions& options) {
  std::vector<std::string> words;
  if (options.floating) {
    words.emplace_back("floating");
  }
  if (options.keep_fixed) {
    words.emplace_back("fixed=keep");
  }
  if (options.friction_velocity > 0.0) {
    words.push_back(fmt::format("friction={}", options.friction_velocity));
  }
  if (options.armature_ratio > 0.0) {
    words.push_back(fmt::format("armature={}", options.armature_ratio));
  }
  if (options.stop_stiffness > 0.0) {
    words.push_back(fmt::format("stops={}", options.stop_stiffness));
  }
  std::vector<std::string_view> ignored;
  for (const auto& [word, member] : kIgnorable) {
    if (options.*member) {
      ignored.push_back(word);
    }
  }
  if (!ignored.empty()) {
    words.push_back(fmt::format("ignore={}", fmt::join(ignored, "+")));
  }
  return fmt::format("{}", fmt::join(words, ","));
}

bool is_robot_file(std::string_view name) {
  std::string extension = std::filesystem::path(name).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension == ".urdf" || extension == ".xml" || extension == ".mjcf";
}

std::pair<std::string, std::string> split_robot_word(const std::string& word) {
  const std::size_t bracket = word.rfind('[');
  if (bracket == std::string::npos || word.back() != ']' || !is_robot_file(std::string_view(word).substr(0, bracket))) {
    return {word, {}};
  }
  return {word.substr(0, bracket), word.substr(bracket + 1, word.size() - bracket - 2)};
}

}  // namespace mbdbench
