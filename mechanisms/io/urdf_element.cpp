#include "mechanisms/io/urdf_element.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace mbdbench::urdf {
namespace {

template <std::size_t count>
std::array<double, count> numbers(const XMLElement& element, const char* attribute) {
  const std::string text = required(element, attribute);
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
    right = right && error == std::errc() && after != next;
    next = after;
  }
  skip_spaces();
  if (!right || next != end) {
    fail(element, fmt::format("<{} {}=\"{}\">: wants {} number{}{}", element.Name(), attribute, text, count,
                              count == 1 ? "" : "s with spaces between them",
                              text.find("${") == std::string::npos ? "" : "; run xacro on the file first"));
  }
  return values;
}

}  // namespace

Pose operator*(const Pose& outer, const Pose& inner) {
  return {outer.position + outer.rotation * inner.position, outer.rotation * inner.rotation};
}

void fail(const XMLElement& element, const std::string& message) {
  throw UrdfError(static_cast<std::size_t>(element.GetLineNum()), message);
}

std::string required(const XMLElement& element, const char* attribute) {
  const char* const value = element.Attribute(attribute);
  if (value == nullptr || *value == '\0') {
    fail(element, fmt::format("<{}> needs the attribute {}=\"...\"", element.Name(), attribute));
  }
  // Other bytes need not be UTF-8, which messages and TOML files are.
  std::string text = value;
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t' || (c >= ' ' && c <= '~'); })) {
    fail(element, fmt::format("<{}>: {} wants letters, digits and signs of ASCII only", element.Name(), attribute));
  }
  return text;
}

const XMLElement& child(const XMLElement& element, const char* name, const std::string& owner) {
  const XMLElement* const found = element.FirstChildElement(name);
  if (found == nullptr) {
    fail(element, fmt::format("{} has no <{}>", owner, name));
  }
  return *found;
}

double number(const XMLElement& element, const char* attribute) {
  return numbers<1>(element, attribute)[0];
}

Vec3 vector(const XMLElement& element, const char* attribute) {
  const std::array<double, 3> values = numbers<3>(element, attribute);
  return {values[0], values[1], values[2]};
}

Pose origin(const XMLElement& element) {
  Pose pose;
  const XMLElement* const given = element.FirstChildElement("origin");
  if (given != nullptr && given->Attribute("xyz") != nullptr) {
    pose.position = vector(*given, "xyz");
  }
  if (given != nullptr && given->Attribute("rpy") != nullptr) {
    const Vec3 rpy = vector(*given, "rpy");
    pose.rotation = Eigen::AngleAxisd(rpy.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(rpy.y(), Vec3::UnitY()) *
                    Eigen::AngleAxisd(rpy.x(), Vec3::UnitX());
  }
  return pose;
}

}  // namespace mbdbench::urdf
