#pragma once
/// \file
/// Poses of MJCF elements, and the masses of geoms.
#include <optional>
#include <string>

#include "mechanisms/io/mjcf/mjcf_defaults.hpp"
#include "mechanisms/io/urdf/urdf_inertia.hpp"

namespace mbdbench::mjcf {

using urdf::MassProperties;
using urdf::Pose;

/// What `<compiler>` says of angles, in one place.
struct AngleConvention {
  double unit = 0.017453292519943295;  ///< rad: degrees unless it says radian
  std::string sequence = "xyz";        ///< of euler angles; small letters: about axes that turn along
};

/// \returns the pose that pos and quat, axisangle, euler, xyaxes or zaxis give.
Pose pose_of(const XMLElement& element, const std::string& childclass, const Defaults& defaults,
             const AngleConvention& angles, Findings& findings);

/// \returns what `<inertial>` says, in the body's frame.
MassProperties inertial_of(const XMLElement& inertial, const std::string& body, const std::string& childclass,
                           const Defaults& defaults, const AngleConvention& angles, Findings& findings);

/// \returns mass and inertia of a geom in the body's frame: sphere, capsule, cylinder, box or ellipsoid, by its mass or
///          density. Nothing of a plane, and of a mesh only an error.
MassProperties geom_mass(const XMLElement& geom, const std::string& body, const std::string& childclass,
                         const Defaults& defaults, const AngleConvention& angles, Findings& findings);

}  // namespace mbdbench::mjcf
