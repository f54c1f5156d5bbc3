/// \file
/// MJCF: the bodies, joints and loops that MuJoCo makes of the same text, and what is refused.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>

#include "mechanisms/io/mechanism_writer.hpp"
#include "mechanisms/io/mjcf/mjcf_writer.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "tests/mechanisms/urdf_arm.hpp"
#include "tests/support/two_arms.hpp"

namespace mbdbench {
namespace {

constexpr const char* kName = "model.xml";

MechanismDescription read_model(const std::string& text, const char* options = "") {
  return parse_mechanism(text, kName, parse_robot_options(options));
}

std::string refused(const std::string& text) {
  return refusal_of_text(text, kName);
}

// What MuJoCo 4.0.0 made of the model: mass, centre of mass, inertia (xx, yy, zz, xy, xz, yz), in the body's frame.
TEST(Mjcf, MassesOfGeomsAreMuJoCos) {
  const Mechanism arms(read_model(kTwoArms));
  ASSERT_EQ(arms.body_count(), 3);
  const Body& cart = arms.bodies()[0];
  EXPECT_NEAR(cart.mass, 4.0, 1e-15);
  EXPECT_TRUE(cart.inertia.isApprox(Vec3(1.0 / 60.0, 17.0 / 300.0, 1.0 / 15.0).asDiagonal().toDenseMatrix(), 1e-14));
  // The plate has no joint: it is part of the upper arm, behind a turn of 45 degrees.
  const Body& upper = arms.bodies()[1];
  EXPECT_NEAR(upper.mass, 2.964179668350912 + 0.5592034923389831, 1e-14);
  const Vec3 own_com(0.061807651328865586, 0.0, -0.30903825664432794);
  const Vec3 plate_com = Vec3(0.0, 0.1, -0.2) + 0.039325842696629226 * Vec3(std::sqrt(0.5), std::sqrt(0.5), 0.0);
  EXPECT_TRUE(upper.com.isApprox((2.964179668350912 * own_com + 0.5592034923389831 * plate_com) / upper.mass, 1e-13));
  const Body& lower = arms.bodies()[2];
  EXPECT_EQ(lower.mass, 0.4);
  Mat3 full;
  full << 0.02, 0.001, -0.002, 0.001, 0.03, 0.003, -0.002, 0.003, 0.015;
  EXPECT_TRUE(lower.inertia.isApprox(full, 1e-15));
}

TEST(Mjcf, JointsHaveTheDefaultsOfTheirClasses) {
  const MechanismDescription arms = read_model(kTwoArms);
  ASSERT_EQ(arms.joints.size(), 3U);
  EXPECT_EQ(arms.joints[0].type, JointType::prismatic);
  EXPECT_EQ(arms.joints[1].type, JointType::universal) << "two hinges with one point";
  EXPECT_EQ(arms.joints[1].axis, Vec3::UnitY());
  EXPECT_EQ(arms.joints[1].axis2, Vec3::UnitZ());
  EXPECT_EQ(arms.joints[2].type, JointType::spherical);
  ASSERT_EQ(arms.joint_springs.size(), 3U) << "of the rail, the hip and the yaw";
  EXPECT_EQ(arms.joint_springs[1].stiffness, 3.0);
  EXPECT_NEAR(arms.joint_springs[1].rest, 30.0 * std::numbers::pi / 180.0, 1e-15);
  EXPECT_EQ(arms.joint_springs[2].component, 1);
  EXPECT_EQ(arms.joint_loads.size(), 3U) << "dampers of the ball";
  EXPECT_EQ(arms.gravity, Vec3(0.0, 0.0, -9.8));
}

TEST(Mjcf, PlacesAreMuJoCos) {
  const Mechanism arms(read_model(kTwoArms));
  Kinematics kinematics(arms);
  const Eigen::VectorXd q = two_arms_q();
  kinematics.set_positions(view(q));
  const Marker& end = arms.markers()[static_cast<std::size_t>(*arms.find_marker("end"))];
  const Vec3 wanted(0.0788765603409215, 0.15033223409204366, 0.5051559273294426);
  EXPECT_TRUE(kinematics.world_point(end.body, end.point).isApprox(wanted, 1e-14));
}

TEST(Mjcf, EqualityConstraintsAreLoopsAndCouplings) {
  const Mechanism loop(read_model(R"(<mujoco><compiler angle="radian"/><worldbody>
    <body name="a" pos="0 0 0"><joint name="ja" axis="0 1 0"/><geom size="0.1"/>
      <body name="b" pos="0 0 1"><joint name="jb" axis="0 1 0"/><geom size="0.1"/><site name="s" pos="1 0 0"/></body></body>
    <body name="c" pos="1 0 0"><joint name="jc" axis="0 1 0"/><geom size="0.1"/></body>
    <body name="d" pos="2 0 0"><joint name="jd" type="slide"/><geom size="0.1"/></body></worldbody>
    <equality><connect body1="b" body2="c" anchor="1 0 0"/><joint name="follows" joint1="jd" joint2="jc" polycoef="0 2"/>
    <weld body1="a" body2="d" active="false"/></equality></mujoco>)"));
  ASSERT_EQ(loop.cut_joints().size(), 1U);
  const Joint& connect = loop.cut_joints()[0];
  EXPECT_EQ(connect.type, JointType::spherical);
  EXPECT_EQ(connect.position_a, Vec3(1.0, 0.0, 0.0));
  EXPECT_EQ(connect.position_b, Vec3(0.0, 0.0, 1.0)) << "where the anchor is on the other body at rest";
  ASSERT_EQ(loop.couplings().size(), 1U);
  EXPECT_EQ(loop.couplings()[0].terms[1].factor, -2.0);
}

TEST(Mjcf, JointsInARowHaveBodiesWithoutMassBetween) {
  const Mechanism row(read_model(R"(<mujoco><worldbody><body name="b"><joint name="x" type="slide" axis="1 0 0"/>
    <joint name="y" type="slide" axis="0 1 0"/><joint name="turn"/><geom size="0.1"/></body></worldbody></mujoco>)"));
  ASSERT_EQ(row.body_count(), 3);
  EXPECT_EQ(row.bodies()[0].mass, 0.0);
  EXPECT_EQ(row.u_size(), 3);
}

TEST(Mjcf, AFreeBodyIsWhereTheModelPutsIt) {
  const Mechanism free(read_model(
      R"(<mujoco><worldbody><body pos="1 2 3" quat="0 1 0 0"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>)"));
  EXPECT_EQ(free.q0().tail<3>(), Vec3(1.0, 2.0, 3.0));
  EXPECT_EQ(free.q0()[1], 1.0);
}

TEST(Mjcf, AModelThatWeWriteReadsBack) {
  const Mechanism arm = load_mechanism(kUrdfArm, "arm.urdf");
  const Mechanism again(read_model(write_mjcf(arm)));
  ASSERT_EQ(again.body_count(), arm.body_count());
  for (int k = 0; k < arm.body_count(); ++k) {
    const Body& body = arm.bodies()[static_cast<std::size_t>(k)];
    EXPECT_EQ(again.bodies()[static_cast<std::size_t>(k)].mass, body.mass);
    EXPECT_TRUE(again.bodies()[static_cast<std::size_t>(k)].inertia.isApprox(body.inertia, 1e-11));
  }
  EXPECT_EQ(again.description().joint_springs.size(), arm.description().joint_springs.size());
}

TEST(Mjcf, WhatWouldBeLostIsRefusedAllAtOnce) {
  const std::string message = refused(R"(<mujoco><include file="x.xml"/>
    <option density="1.2"/>
    <worldbody><body name="b"><joint name="j" armature="0.1" frictionloss="0.2"/>
    <geom type="mesh" mesh="m"/><composite/></body></worldbody>
    <equality><tendon tendon1="t"/></equality></mujoco>)");
  for (const char* const part :
       {"model.xml:1: 7 errors", "<include file=\"x.xml\">: x.xml: cannot be opened", "<option density>",
        "armature (0.1) is not modelled; leave it out with --ignore armature",
        "frictionloss (0.2) is not modelled; leave it out with --ignore friction", "meshes are not read",
        "<composite> is not read", "<tendon> in <equality> is not read"}) {
    EXPECT_NE(message.find(part), std::string::npos) << part << "\nin\n" << message;
  }
  const MechanismDescription ignored = read_model(
      R"(<mujoco><worldbody><body><joint name="j" armature="0.1" frictionloss="1"/><geom size="1"/></body></worldbody></mujoco>)",
      "ignore=armature+friction");
  EXPECT_TRUE(tells(ignored, "armature is ignored: 'j'"));
  EXPECT_TRUE(tells(ignored, "frictionloss is ignored: 'j'"));
}

TEST(Mjcf, FrictionAndRangesAreModelledWhenItIsAskedFor) {
  const MechanismDescription model = read_model(
      R"(<mujoco><worldbody><body><joint name="j" frictionloss="2" range="-90 45" ref="10"/><geom size="1"/>
      <body><joint name="b" type="ball" frictionloss="3" range="0 30"/><geom size="1" pos="1 0 0"/></body></body>
      </worldbody></mujoco>)",
      "friction=0.5,stops=7");
  ASSERT_EQ(model.joint_frictions.size(), 4U);
  EXPECT_EQ(model.joint_frictions[0].joint, "j");
  EXPECT_EQ(model.joint_frictions[0].kinetic, 2.0);
  EXPECT_EQ(model.joint_frictions[0].regularisation_velocity, 0.5);
  EXPECT_EQ(model.joint_frictions[3].joint, "b");
  EXPECT_EQ(model.joint_frictions[3].component, 2);
  ASSERT_EQ(model.joint_stops.size(), 1U) << "the cone of a ball is not a stop of a coordinate";
  EXPECT_NEAR(*model.joint_stops[0].lower, -100.0 * std::numbers::pi / 180.0, 1e-15);
  EXPECT_NEAR(*model.joint_stops[0].upper, 35.0 * std::numbers::pi / 180.0, 1e-15);
  EXPECT_TRUE(tells(model, "joint stops are not modelled: 'b'"));
  EXPECT_NO_THROW(Mechanism{model});
}

TEST(Mjcf, ArmatureIsARotorBehindAGearWhenItIsAskedFor) {
  const MechanismDescription model = read_model(
      R"(<mujoco><worldbody><body><joint name="j" armature="0.5"/><geom size="1"/></body></worldbody></mujoco>)",
      "armature=10");
  ASSERT_EQ(model.bodies.size(), 2U);
  EXPECT_EQ(model.bodies[1].mass, 0.0);
  EXPECT_NEAR(model.bodies[1].inertia(2, 2), 0.005, 1e-17);
  ASSERT_EQ(model.couplings.size(), 1U);
  EXPECT_FALSE(tells(model, "armature"));
  EXPECT_NO_THROW(Mechanism{model});
}

TEST(Mjcf, IncludedFilesStandInTheirPlace) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("mbdbench_mjcf_{}", getpid());
  std::filesystem::create_directory(folder);
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  write("defaults.xml", "<mujoco><default><joint axis=\"1 0 0\"/></default></mujoco>");
  write("arm.xml", "<mujocoinclude><body name=\"arm\"><joint name=\"j\"/><geom size=\"1\"/></body></mujocoinclude>");
  write("main.xml",
        "<mujoco><include file=\"defaults.xml\"/><worldbody><include file=\"arm.xml\"/></worldbody></mujoco>");
  write("twice.xml", "<mujoco><include file=\"twice.xml\"/></mujoco>");
  const Mechanism arm = load_mechanism(folder / "main.xml");
  EXPECT_EQ(arm.bodies()[0].name, "arm");
  EXPECT_EQ(arm.tree_joints()[0].axis, Vec3::UnitX());
  EXPECT_THROW(load_mechanism(folder / "twice.xml"), FileError);
  std::filesystem::remove_all(folder);
}

TEST(Mjcf, NumbersAndClassesAreChecked) {
  const auto body = [](const std::string& inside) {
    return "<mujoco><worldbody>\n<body name=\"b\">" + inside + "</body></worldbody></mujoco>";
  };
  EXPECT_NE(
      refused(body("<joint axis=\"0 0\"/><geom size=\"1\"/>")).find("<joint axis=\"0 0\">: wants 3 finite numbers"),
      std::string::npos);
  EXPECT_NE(refused(body("<joint class=\"x\"/><geom size=\"1\"/>")).find("no <default> of the class 'x'"),
            std::string::npos);
  EXPECT_NE(refused(body("<joint type=\"hing\"/><geom size=\"1\"/>")).find("there is no joint type 'hing'"),
            std::string::npos);
  EXPECT_NE(refused(body("<geom size=\"1\"/>")).find("nothing moves"), std::string::npos);
  EXPECT_NE(refused(body("<joint/>")).find("no inertia along joint"), std::string::npos);
}

}  // namespace
}  // namespace mbdbench
