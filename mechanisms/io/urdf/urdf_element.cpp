#include "mechanisms/io/urdf/urdf_element.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace mbdbench::urdf {
namespace {

template <std::size_t count>
std::optional<std::array<double, count>> numbers(const XMLElement& element, const char* attribute, Findings& findings) {
  const std::string text = text_of(element, attribute, findings);
  if (text.empty()) {
    return {};
  }
  std::array<double, count> values = {};
  const char* next = text.data();
  const char* const end = text.data() + text.size();
  const auto skip_spaces = [&] {
    while (next != end && (*next == ' ' || *next == '\t' || *next == '\n' || *next == '\r')) {
      ++next;
    }
  };
  bool right = true;
  for (double& value : values) {
    skip_spaces();
    next += next != end && *next == '+' ? 1 : 0;
    const auto [after, error] = std::from_chars(next, end, value);
    right = right && error == std::errc() && after != next && std::isfinite(value);
    next = after;
  }
  skip_spaces();
  if (!right || next != end) {
    findings.error(line_of(element), fmt::format("<{} {}=\"{}\">: wants {} finite number{}", element.Name(), attribute,
                                                 text, count, count == 1 ? "" : "s with spaces between them"));
    return {};
  }
  return values;
}

}  // namespace

Pose operator*(const Pose& outer, const Pose& inner) {
  return {outer.position + outer.rotation * inner.position, outer.rotation * inner.rotation};
}

std::string printable(std::string_view text) {
  std::string result(text);
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return result;
}

std::string text_of(const XMLElement& element, const char* attribute, Findings& findings, bool needed) {
  const char* const value = element.Attribute(attribute);
  if (value == nullptr || *value == '\0') {
    if (needed) {
      findings.error(line_of(element),
                     fmt::format("<{}> needs the attribute {}=\"...\"", printable(element.Name()), attribute));
    }
    return {};
  }
  // Line breaks and tabs are blanks to XML.
  std::string text = value;
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  return printable(text);
}

const XMLElement* child(const XMLElement& element, const char* name, const std::string& owner, Findings& findings) {
  const XMLElement* const found = element.FirstChildElement(name);
  if (found == nullptr) {
    findings.error(line_of(element), fmt::format("{} has no <{}>", owner, name));
  }
  return found;
}

std::optional<double> number(const XMLElement& element, const char* attribute, Findings& findings,
                             std::optional<double> otherwise) {
  if (otherwise && element.Attribute(attribute) == nullptr) {
    return otherwise;
  }
  const auto values = numbers<1>(element, attribute, findings);
  return values ? std::optional((*values)[0]) : std::nullopt;
}

std::optional<Vec3> vector(const XMLElement& element, const char* attribute, Findings& findings) {
  const auto values = numbers<3>(element, attribute, findings);
  return values ? std::optional(Vec3((*values)[0], (*values)[1], (*values)[2])) : std::nullopt;
}

Pose origin(const XMLElement& element, Findings& findings) {
  Pose pose;
  const XMLElement* const given = element.FirstChildElement("origin");
  if (given != nullptr && given->Attribute("xyz") != nullptr) {
    pose.position = vector(*given, "xyz", findings).value_or(Vec3::Zero());
  }
  if (given != nullptr && given->Attribute("rpy") != nullptr) {
    const Vec3 rpy = vector(*given, "rpy", findings).value_or(Vec3::Zero());
    pose.rotation = Eigen::AngleAxisd(rpy.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(rpy.y(), Vec3::UnitY()) *
                    Eigen::AngleAxisd(rpy.x(), Vec3::UnitX());
  }
  return pose;
}

}  // namespace mbdbench::urdf
