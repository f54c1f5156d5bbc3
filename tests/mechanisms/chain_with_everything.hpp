#pragma once
/// \file
/// A small valid mechanism for tests of validation and files.
#include "mechanisms/model/description/description.hpp"

namespace mbdbench {

/// A straight chain ground - arm - middle - tip along x whose end is anchored to the ground, with a prescribed motion,
/// loads, springs and a marker. Bodies and joints are deliberately not in tree order. Bodies: tip, arm, middle. Joints:
/// ball (middle to tip), hinge (ground to arm), knuckle (arm to middle), anchor (cut).
inline MechanismDescription chain_with_everything() {
  MechanismDescription description;
  description.name = "chain";
  description.source = "made up";
  for (const char* name : {"tip", "arm", "middle"}) {
    BodyDescription body;
    body.name = name;
    body.mass = 1.5;
    body.com = Vec3(0.5, 0.0, 0.0);
    body.inertia = Vec3(0.01, 0.1, 0.105).asDiagonal();
    description.bodies.push_back(body);
  }
  description.bodies[0].inertia(0, 1) = description.bodies[0].inertia(1, 0) = 0.001;
  const auto joint = [](const char* name, JointType type, const char* a, const char* b, double x) {
    JointDescription made;
    made.name = name;
    made.type = type;
    made.a = a;
    made.b = b;
    made.frame_a.position = Vec3(x, 0.0, 0.0);
    return made;
  };
  description.joints = {joint("ball", JointType::spherical, "middle", "tip", 1.0),
                        joint("hinge", JointType::revolute, kGround, "arm", 0.0),
                        joint("knuckle", JointType::universal, "arm", "middle", 1.0),
                        joint("anchor", JointType::spherical, "tip", kGround, 1.0)};
  description.joints[1].motions = {{0, "0.2*t^3/3", "0.2*t^2", "0.4*t"}};
  description.joints[2].axis = Vec3::UnitY();
  description.joints[2].axis2 = Vec3::UnitZ();
  description.joints[3].frame_b.position = Vec3(3.0, 0.0, 0.0);
  description.joints[3].cut = true;
  description.joint_loads = {{"motor", "knuckle", 1, ExpressionLaw{"-0.1*v + q_hinge*sin(t) + x_end"}}};
  description.body_loads = {{"wind",
                             "arm",
                             Vec3(0.5, 0.0, 0.0),
                             false,
                             {ConstantLaw{1.0}, ExpressionLaw{"-vx_end"}, TableLaw{"t", {0.0, 1.0}, {0.0, 2.0}}},
                             {ConstantLaw{0.0}, ConstantLaw{0.0}, ExpressionLaw{"q_ball_4"}}}};
  description.joint_springs = {{"coil", "knuckle", 0, 10.0, 0.1, 0.05}};
  description.point_springs = {{"stay", kGround, "tip", Vec3(2.0, 1.0, 0.0), Vec3(0.5, 0.0, 0.0), 100.0, 1.0, 0.5}};
  BushingDescription& bushing = description.bushings.emplace_back();
  bushing.name = "mount";
  bushing.body1 = "arm";
  bushing.body2 = "tip";
  bushing.frame1.position = Vec3(1.5, 0.0, 0.0);
  bushing.frame2.rotation = Eigen::Vector4d(0.8, 0.6, 0.0, 0.0);
  bushing.stiffness = Vec3(10.0, 20.0, 30.0);
  bushing.damping = Vec3(0.1, 0.2, 0.3);
  bushing.rotational_stiffness = Vec3(1.0, 2.0, 3.0);
  bushing.rotational_damping = Vec3(0.01, 0.02, 0.03);
  description.joint_frictions = {{"rub", "ball", 1, 0.2, 0.3, 0.1, 0.01, 0.05}};
  description.joint_stops = {{"stop", "knuckle", 1, -0.5, 0.75, 100.0, 0.2}};
  description.markers = {{"end", "tip", Vec3(1.0, 0.0, 0.0)}};
  return description;
}

}  // namespace mbdbench
