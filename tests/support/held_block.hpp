#pragma once
/// \file
/// A block between a swinging arm and a joint without coordinates, and the same block carried by massless links.
#include <cmath>
#include <string>

#include "mechanisms/model/description/description.hpp"

namespace mbdbench::test {

inline Mat3 block_inertia() {
  Mat3 inertia;
  inertia << 0.2, 0.01, 0.02, 0.01, 0.3, -0.01, 0.02, -0.01, 0.25;
  return inertia;
}

/// Bodies `arm` on a hinge at the ground and `block`, with a marker on each.
inline MechanismDescription arm_and_block() {
  MechanismDescription description;
  description.name = "held block";
  description.gravity = Vec3(0.5, 1.0, -9.0);
  description.bodies = {{"arm", 2.0, Vec3(0.4, 0.1, 0.0), block_inertia()},
                        {"block", 1.5, Vec3(0.1, -0.2, 0.1), 0.7 * block_inertia()}};
  JointDescription hinge;
  hinge.name = "hinge";
  hinge.b = "arm";
  hinge.axis = Vec3(0.0, 0.6, 0.8);
  hinge.q0 = {0.3};
  hinge.v0 = {1.2};
  description.joints = {hinge};
  description.markers = {{"on_arm", "arm", Vec3(1.0, 0.2, 0.1)}, {"on_block", "block", Vec3(0.3, 0.1, -0.2)}};
  return description;
}

/// The joint that holds the block at the arm: its place on the arm and on the block, its axis and its length.
inline JointDescription holding_joint(JointType type) {
  JointDescription joint;
  joint.name = "hold";
  joint.type = type;
  joint.a = "arm";
  joint.b = "block";
  joint.frame_a = {Vec3(0.8, -0.1, 0.2), Eigen::Vector4d(0.8, 0.0, 0.6, 0.0)};
  joint.frame_b = {Vec3(-0.2, 0.1, 0.3), Eigen::Vector4d(0.6, 0.8, 0.0, 0.0)};
  joint.axis = type == JointType::distance ? Vec3(Vec3::UnitZ()) : Vec3(0.0, 0.8, -0.6);
  joint.length = has_length(type) ? 0.9 : 0.0;
  joint.cut = true;
  return joint;
}

/// The block flies on a free joint and is held by a joint of this type. Its start closes the loop from a guess.
inline MechanismDescription held_block(JointType type) {
  MechanismDescription description = arm_and_block();
  JointDescription flight;
  flight.name = "flight";
  flight.type = JointType::free;
  flight.b = "block";
  flight.q0 = {0.9, 0.1, -0.2, std::sqrt(1.0 - 0.81 - 0.01 - 0.04), 1.2, 0.3, -0.6};
  flight.v0 = {0.3, -0.5, 0.4, 0.1, 0.7, -0.2};
  flight.dependent = true;
  description.joints.push_back(flight);
  description.joints.push_back(holding_joint(type));
  return description;
}

/// The same mechanism as a tree: links without mass and inertia carry the block as the joint without coordinates lets
/// it move, at some positions and velocities.
inline MechanismDescription carried_block(JointType type) {
  MechanismDescription description = arm_and_block();
  const JointDescription hold = holding_joint(type);
  const auto link = [&](const char* name, JointType kind, const std::string& a, const Vec3& axis) {
    description.bodies.push_back({name, 0.0, Vec3::Zero(), Mat3::Zero()});
    JointDescription& joint = description.joints.emplace_back();
    joint.name = std::string("to_") + name;
    joint.type = kind;
    joint.a = a;
    joint.b = name;
    joint.axis = axis;
    if (a == "arm") {
      joint.frame_a = hold.frame_a;
    }
    joint.q0.assign(static_cast<std::size_t>(position_count(kind)), 0.4);
    joint.v0.assign(static_cast<std::size_t>(velocity_count(kind)), -0.7);
  };
  std::string last = "link";
  Vec3 end = Vec3::Zero();
  switch (type) {
    case JointType::distance:
      link("link", JointType::universal, "arm", Vec3::UnitY());
      description.joints.back().axis2 = Vec3::UnitZ();
      end = hold.length * Vec3::UnitX();
      break;
    case JointType::revolute_spherical:
      link("link", JointType::revolute, "arm", hold.axis);
      end = hold.length * Vec3::UnitX();  // normal to the axis
      break;
    case JointType::point_on_line:
      link("link", JointType::prismatic, "arm", hold.axis);
      break;
    default:
      link("link", JointType::prismatic, "arm", Vec3::UnitX());
      link("link2", JointType::prismatic, "link", hold.axis.cross(Vec3::UnitX()));
      last = "link2";
  }
  JointDescription& ball = description.joints.emplace_back();
  ball.name = "ball";
  ball.type = JointType::spherical;
  ball.a = last;
  ball.b = "block";
  ball.frame_a.position = end;
  ball.frame_b = hold.frame_b;
  ball.q0 = {0.9, 0.1, -0.2, std::sqrt(1.0 - 0.81 - 0.01 - 0.04)};
  ball.v0 = {0.6, -0.8, 1.1};
  return description;
}

}  // namespace mbdbench::test
