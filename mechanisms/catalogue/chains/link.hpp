#pragma once
/// \file
/// The link of the pendulum family: body frame at the inboard joint, x along the link.
#include <string>
#include <utility>

#include "mechanisms/model/description/description.hpp"

namespace mbdbench {

/// Length of the link, m.
inline constexpr double kLinkLength = 1.0;

/// \returns the link of [Chadaj2015]: 1 m, 1 kg, centre of mass at half the length, J_C = diag(1, 1, 1) kg m^2.
inline BodyDescription chain_link(std::string name) {
  return {std::move(name), 1.0, Vec3(0.5 * kLinkLength, 0.0, 0.0), Mat3::Identity()};
}

/// \returns the outer end of the link in its body frame, m.
inline Vec3 link_end() {
  return {kLinkLength, 0.0, 0.0};
}

/// \returns a revolute joint at the end of link `a` (or at the origin of the ground) and the start of link `b`, axes
///          parallel to those of the bodies.
inline JointDescription link_joint(std::string name, std::string a, std::string b, const Vec3& axis) {
  JointDescription joint;
  joint.name = std::move(name);
  joint.type = JointType::revolute;
  if (a != kGround) {
    joint.frame_a.position = link_end();
  }
  joint.a = std::move(a);
  joint.b = std::move(b);
  joint.axis = axis;
  return joint;
}

}  // namespace mbdbench
