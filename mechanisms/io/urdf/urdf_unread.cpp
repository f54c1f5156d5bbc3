#include "mechanisms/io/urdf/urdf_unread.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mbdbench::urdf {

namespace {

/// Elements whose contents move nothing, whatever other programs make of them.
constexpr std::array<std::string_view, 5> kUnmoved = {"visual", "collision", "gazebo", "transmission", "plugin"};

}  // namespace

void check_macros(const XMLElement& robot, Findings& findings) {
  std::map<std::string, std::pair<std::size_t, int>> found;  // first line and how many, by element or attribute
  const auto see = [&](const std::string& what, std::size_t line) {
    const auto [entry, added] = found.try_emplace(what, line, 0);
    ++entry->second.second;
  };
  const XMLElement* element = &robot;
  while (element != nullptr) {
    const std::string name = printable(element->Name());
    if (name.starts_with("xacro:")) {
      see(fmt::format("<{}>", name), line_of(*element));
    }
    for (const tinyxml2::XMLAttribute* attribute = element->FirstAttribute(); attribute != nullptr;
         attribute = attribute->Next()) {
      const std::string value = printable(attribute->Value());
      if (value.find("${") != std::string::npos || value.find("$(") != std::string::npos) {
        see(fmt::format("<{} {}=\"{}\">", name, printable(attribute->Name()), value), line_of(*element));
      }
    }
    const bool enter = std::find(kUnmoved.begin(), kUnmoved.end(), name) == kUnmoved.end();
    const XMLElement* next = enter ? element->FirstChildElement() : nullptr;
    while (next == nullptr && element != &robot) {
      next = element->NextSiblingElement();
      element = next == nullptr ? element->Parent()->ToElement() : element;
    }
    element = next;
  }
  for (const auto& [what, where] : found) {
    findings.error(where.first,
                   fmt::format("{}{} is a macro that was not resolved; run xacro first: xacro FILE > robot.urdf", what,
                               where.second > 1 ? fmt::format(" ({} times)", where.second) : std::string()));
  }
}

void note_unread(const XMLElement& robot, Findings& findings) {
  static const std::array<std::string_view, 7> kRead = {"link",   "joint", "material", "origin",
                                                        "parent", "child", "axis"};
  static const std::array<std::string_view, 8> kInner = {"visual", "collision", "inertial",          "dynamics",
                                                         "mimic",  "limit",     "safety_controller", "calibration"};
  static const std::array<std::string_view, 8> kForces = {"loop_joint",
                                                          "constraint",
                                                          "force_element",
                                                          "drake:joint",
                                                          "cable",
                                                          "drake:force_element",
                                                          "drake:linear_spring_damper",
                                                          "drake:ball_constraint"};
  std::map<std::string, int> counts;
  const auto look_at = [&](const XMLElement& element) {
    const std::string name = printable(element.Name());
    const auto is_in = [&](const auto& list) { return std::find(list.begin(), list.end(), name) != list.end(); };
    if (is_in(kForces)) {
      findings.error(line_of(element), fmt::format("<{}> adds a joint, a loop or a force that URDF has not; take it "
                                                   "out, and say it in the TOML format (mbdbench export writes it)",
                                                   name));
    } else if (!is_in(kRead) && !is_in(kInner)) {
      ++counts[name];
    }
  };
  for (const XMLElement* outer = robot.FirstChildElement(); outer != nullptr; outer = outer->NextSiblingElement()) {
    look_at(*outer);
    const std::string_view name = outer->Name();
    for (const XMLElement* inner = name == "link" || name == "joint" ? outer->FirstChildElement() : nullptr;
         inner != nullptr; inner = inner->NextSiblingElement()) {
      look_at(*inner);
    }
  }
  if (!counts.empty()) {
    std::vector<std::string> list;
    list.reserve(counts.size());
    for (const auto& [name, count] : counts) {
      list.push_back(count == 1 ? fmt::format("<{}>", name) : fmt::format("<{}> ({})", name, count));
    }
    findings.note(fmt::format("not read: {}", fmt::join(list, ", ")));
  }
}

}  // namespace mbdbench::urdf
