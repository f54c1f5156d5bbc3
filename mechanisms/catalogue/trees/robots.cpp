/// \file
/// Robots of the usual shapes and sizes, for comparisons with engines that are made for them: an arm of seven joints, a
/// four-legged robot and a humanoid.
///
/// Links are boxes of even density, their frames at the inboard joint with axes parallel to those of the inboard body;
/// z points up where all joints are at zero; gravity 9.81 m/s^2 along -z. A motor with the law of a spring and damper
/// holds every joint at the bend where it starts, at rest; the pelvis and the trunk are free. Dimensions and masses are
/// round numbers near those of robots of the kind; nobody's robot.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "mechanisms/catalogue/entries.hpp"

namespace mbdbench {
namespace {

/// One link: its joint's place on the inboard link, its box.
struct RobotLink {
  std::string name;
  std::string inboard;
  Vec3 axis;
  Vec3 place;   ///< of the joint, m
  double mass;  ///< kg
  Vec3 centre;  ///< of the box, m
  Vec3 edges;   ///< of the box, m
  double bend;  ///< rad
};

const Vec3 kX = Vec3::UnitX();
const Vec3 kY = Vec3::UnitY();
const Vec3 kZ = Vec3::UnitZ();

BodyDescription box(const std::string& name, double mass, const Vec3& centre, const Vec3& edges) {
  const Vec3 squares = edges.cwiseAbs2();
  return {name, mass, centre, mass / 12.0 * Vec3(squares.sum() * Vec3::Ones() - squares).asDiagonal()};
}

/// The motor's stiffness, N m/rad, and damping, N m s/rad, go with the mass that it holds.
void add_links(MechanismDescription& robot, const std::vector<RobotLink>& links) {
  for (const RobotLink& link : links) {
    robot.bodies.push_back(box(link.name, link.mass, link.centre, link.edges));
    JointDescription joint;
    joint.name = "joint_" + link.name;
    joint.a = link.inboard;
    joint.b = link.name;
    joint.axis = link.axis;
    joint.frame_a.position = link.place;
    joint.q0 = {link.bend};
    robot.joints.push_back(joint);
    robot.joint_springs.push_back({"motor_" + link.name, joint.name, 0, 20.0 * link.mass, 0.1 * link.mass, link.bend});
  }
}

void add_free_body(MechanismDescription& robot, const std::string& name, double mass, const Vec3& edges,
                   double height) {
  robot.bodies.push_back(box(name, mass, Vec3::Zero(), edges));
  JointDescription joint;
  joint.name = "joint_" + name;
  joint.type = JointType::free;
  joint.b = name;
  joint.q0 = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, height};
  robot.joints.push_back(joint);
}

MechanismDescription make_robot_arm(const Parameters& /*parameters*/) {
  MechanismDescription robot;
  robot.name = "robot_arm";
  const Vec3 slim(0.12, 0.12, 0.2);
  const Vec3 half(0.0, 0.0, 0.1);
  add_links(robot, {{"shoulder1", kGround, kZ, {0.0, 0.0, 0.15}, 4.0, half, slim, 0.3},
                    {"shoulder2", "shoulder1", kY, {0.0, 0.0, 0.2}, 4.0, half, slim, 0.5},
                    {"upper", "shoulder2", kZ, {0.0, 0.0, 0.2}, 3.0, half, slim, -0.2},
                    {"elbow", "upper", -kY, {0.0, 0.0, 0.2}, 2.5, half, slim, 1.2},
                    {"fore", "elbow", kZ, {0.0, 0.0, 0.2}, 2.0, half, slim, 0.4},
                    {"wrist", "fore", kY, {0.0, 0.0, 0.2}, 1.5, half, slim, 0.6},
                    {"hand", "wrist", kZ, {0.0, 0.0, 0.1}, 0.5, 0.5 * half, 0.5 * slim, 0.1}});
  return robot;
}

MechanismDescription make_quadruped(const Parameters& /*parameters*/) {
  MechanismDescription robot;
  robot.name = "quadruped";
  add_free_body(robot, "trunk", 20.0, {0.6, 0.3, 0.15}, 0.5);
  for (const double front : {1.0, -1.0}) {
    for (const double left : {1.0, -1.0}) {
      const std::string leg = fmt::format("{}_{}_", front > 0.0 ? "front" : "hind", left > 0.0 ? "left" : "right");
      const Vec3 slim(0.05, 0.05, 0.25);
      const Vec3 down(0.0, 0.0, -0.125);
      const Vec3 aside(0.0, 0.05 * left, 0.0);
      add_links(
          robot,
          {{leg + "hip", "trunk", kX, {0.25 * front, 0.1 * left, 0.0}, 1.5, aside, Vec3::Constant(0.1), 0.1 * left},
           {leg + "thigh", leg + "hip", kY, 2.0 * aside, 2.0, down, slim, 0.6 * front},
           {leg + "shank", leg + "thigh", kY, 2.0 * down, 0.5, down, 0.6 * slim, -1.2 * front}});
    }
  }
  return robot;
}

MechanismDescription make_humanoid(const Parameters& /*parameters*/) {
  MechanismDescription robot;
  robot.name = "humanoid";
  const Vec3 none = Vec3::Zero();
  const Vec3 small = Vec3::Constant(0.08);
  add_free_body(robot, "pelvis", 10.0, {0.2, 0.3, 0.15}, 1.0);
  add_links(robot, {{"waist_yaw", "pelvis", kZ, {0.0, 0.0, 0.1}, 2.0, none, small, 0.1},
                    {"waist_roll", "waist_yaw", kX, none, 2.0, none, small, 0.05},
                    {"torso", "waist_roll", kY, none, 20.0, {0.0, 0.0, 0.25}, {0.2, 0.35, 0.5}, 0.1},
                    {"neck", "torso", kZ, {0.0, 0.0, 0.5}, 0.5, none, small, 0.2},
                    {"head", "neck", kY, {0.0, 0.0, 0.05}, 3.0, {0.0, 0.0, 0.1}, {0.18, 0.15, 0.22}, 0.1}});
  for (const double left : {1.0, -1.0}) {
    const std::string side = left > 0.0 ? "left_" : "right_";
    const Vec3 arm(0.08, 0.08, 0.3);
    const Vec3 leg(0.12, 0.12, 0.4);
    const Vec3 along_arm(0.0, 0.0, -0.15);
    const Vec3 along_leg(0.0, 0.0, -0.2);
    add_links(robot, {{side + "shoulder_pitch", "torso", kY, {0.0, 0.2 * left, 0.45}, 1.0, none, small, 0.3 * left},
                      {side + "shoulder_roll", side + "shoulder_pitch", kX, none, 1.0, none, small, 0.2 * left},
                      {side + "upper_arm", side + "shoulder_roll", kZ, none, 2.0, along_arm, arm, 0.1},
                      {side + "forearm", side + "upper_arm", kY, 2.0 * along_arm, 1.5, along_arm, arm, -0.8},
                      {side + "wrist", side + "forearm", kZ, 1.8 * along_arm, 0.3, none, small, 0.2},
                      {side + "hand", side + "wrist", kY, 0.2 * along_arm, 0.5, 0.3 * along_arm, small, 0.1},
                      {side + "hip_yaw", "pelvis", kZ, {0.0, 0.1 * left, -0.1}, 1.5, none, small, 0.05 * left},
                      {side + "hip_roll", side + "hip_yaw", kX, none, 1.5, none, small, 0.1 * left},
                      {side + "thigh", side + "hip_roll", kY, none, 6.0, along_leg, leg, -0.4 - 0.2 * left},
                      {side + "shank", side + "thigh", kY, 2.0 * along_leg, 4.0, along_leg, leg, 0.8},
                      {side + "ankle", side + "shank", kY, 2.0 * along_leg, 0.5, none, small, -0.4},
                      {side + "foot", side + "ankle", kX, none, 1.0, {0.05, 0.0, -0.05}, {0.25, 0.1, 0.05}, 0.05}});
  }
  return robot;
}

}  // namespace

MechanismEntry robot_arm_entry() {
  return {"robot_arm", "arm of seven revolute joints with motors", "ours", {}, make_robot_arm};
}

MechanismEntry quadruped_entry() {
  return {"quadruped", "free trunk on four legs of three joints with motors", "ours", {}, make_quadruped};
}

MechanismEntry humanoid_entry() {
  return {"humanoid", "free pelvis, torso, head, arms and legs: 30 bodies with motors", "ours", {}, make_humanoid};
}

}  // namespace mbdbench
