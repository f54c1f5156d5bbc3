#pragma once
/// \file
/// Elements of a URDF file: what they must have, as numbers and names, or an error with the line.
#include <tinyxml2.h>

#include <Eigen/Geometry>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "mechanisms/model/kinematics/spatial.hpp"

namespace mbdbench::urdf {

using tinyxml2::XMLElement;

/// What is wrong in a line, before the name of the file is known.
struct UrdfError : std::runtime_error {
  UrdfError(std::size_t at, const std::string& message) : std::runtime_error(message), line(at) {}
  std::size_t line;
};

/// A frame in another one.
struct Pose {
  Vec3 position = Vec3::Zero();
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
};

/// \returns the inner frame where the outer one is seen from.
Pose operator*(const Pose& outer, const Pose& inner);

/// \throws UrdfError
[[noreturn]] void fail(const XMLElement& element, const std::string& message);

/// \returns the attribute. \throws UrdfError where it is missing, empty or not ASCII
std::string required(const XMLElement& element, const char* attribute);

/// \returns the element within. \param owner for messages: "joint 'hip'" \throws UrdfError where it is missing
const XMLElement& child(const XMLElement& element, const char* name, const std::string& owner);

/// \returns the attribute's numbers. \throws UrdfError where it is missing or holds anything else
double number(const XMLElement& element, const char* attribute);
Vec3 vector(const XMLElement& element, const char* attribute);

/// \returns the pose that <origin> gives; none is the identity.
Pose origin(const XMLElement& element);

}  // namespace mbdbench::urdf
