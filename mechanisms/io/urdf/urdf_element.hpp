#pragma once
/// \file
/// Elements of a URDF file: their names and numbers. What is wrong goes to the findings, and reading goes on with
/// something harmless in its place.
#include <tinyxml2.h>

#include <Eigen/Geometry>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "mechanisms/io/text/findings.hpp"
#include "mechanisms/model/kinematics/spatial.hpp"

namespace mbdbench::urdf {

using tinyxml2::XMLElement;

/// A frame in another one.
struct Pose {
  Vec3 position = Vec3::Zero();
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
};

/// \returns the inner frame where the outer one is seen from.
Pose operator*(const Pose& outer, const Pose& inner);

/// \returns the line that the element begins in; of an element of an included file, which is a copy, as SourceLines
/// counts it.
inline std::size_t line_of(const XMLElement& element) {
  const auto* const included = static_cast<const std::size_t*>(element.GetUserData());
  return included != nullptr ? *included : static_cast<std::size_t>(element.GetLineNum());
}

/// \returns the text with whatever is not printable ASCII as '?', for messages and TOML files, which are UTF-8.
std::string printable(std::string_view text);

/// \returns the attribute, printable. An error where it is missing or empty, unless \param needed is false
std::string text_of(const XMLElement& element, const char* attribute, Findings& findings, bool needed = true);

/// \returns the element within, nullptr and an error where it is missing. \param owner for messages: "joint 'hip'"
const XMLElement* child(const XMLElement& element, const char* name, const std::string& owner, Findings& findings);

/// \returns the attribute's finite number, nothing and an error where it is missing or anything else.
/// \param otherwise what a missing attribute means; without one it must be there
std::optional<double> number(const XMLElement& element, const char* attribute, Findings& findings,
                             std::optional<double> otherwise = {});
std::optional<Vec3> vector(const XMLElement& element, const char* attribute, Findings& findings);

/// \returns the pose that `<origin>` gives; none is the identity.
Pose origin(const XMLElement& element, Findings& findings);

}  // namespace mbdbench::urdf
