/// \file
/// URDF files as people write them: what changes no motion is taken and told, and all that is wrong stands in one
/// message.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "mechanisms/io/mechanism_writer.hpp"
#include "tests/mechanisms/urdf_arm.hpp"

namespace mbdbench {
namespace {

constexpr const char* kArmName = "arm.urdf";

MechanismDescription read_arm(const std::string& text, const char* options = "") {
  return parse_mechanism(text, kArmName, parse_robot_options(options));
}

TEST(UrdfAsWritten, AFixedLinkIsPartOfTheOther) {
  const MechanismDescription arm = read_arm(text_with(kUrdfArm, "prismatic", "fixed"));
  ASSERT_EQ(arm.bodies.size(), 1U);
  ASSERT_EQ(arm.joints.size(), 1U);
  // Upper: 2 kg at (0.25, 0, 0). Hand: 1 kg at the end of two frames, the first one turned by 0.4 about z.
  const Vec3 hand(0.5 + 0.1 * std::cos(0.4), 0.1 * std::sin(0.4), 0.0);
  const Vec3 com = (2.0 * Vec3(0.25, 0.0, 0.0) + hand) / 3.0;
  EXPECT_EQ(arm.bodies[0].mass, 3.0);
  EXPECT_TRUE(arm.bodies[0].com.isApprox(com, 1e-15));
  const auto steiner = [](double mass, const Vec3& r) {
    return Mat3(mass * (r.squaredNorm() * Mat3::Identity() - r * r.transpose()));
  };
  const Mat3 wanted = Vec3(0.05, 0.01, 0.055).asDiagonal().toDenseMatrix() + 0.1 * Mat3::Identity() +
                      steiner(2.0, Vec3(0.25, 0.0, 0.0) - com) + steiner(1.0, hand - com);
  EXPECT_TRUE(arm.bodies[0].inertia.isApprox(wanted, 1e-14)) << arm.bodies[0].inertia;
  EXPECT_TRUE(tells(arm, "links that are fixed add their masses: 'hand' to 'upper'"));
  EXPECT_EQ(arm.markers.size(), 2U) << "the frames of both fixed links";
}

TEST(UrdfAsWritten, AFixedLinkStaysABodyWhereThatIsAskedFor) {
  const std::string text = text_with(kUrdfArm, "prismatic", "fixed");
  const MechanismDescription arm = read_arm(text, "fixed=keep");
  ASSERT_EQ(arm.joints.size(), 2U);
  EXPECT_EQ(arm.joints[1].type, JointType::fixed);
  EXPECT_EQ(Mechanism(arm).u_size(), 1);
}

TEST(UrdfAsWritten, FixedLinksMayWeighNothing) {
  const std::string text =
      text_with(kUrdfArm, "<link name=\"flange\"/>",
                "<link name=\"flange\"><inertial><mass value=\"0\"/><inertia ixx=\"0\" ixy=\"0\" ixz=\"0\" iyy=\"0\" "
                "iyz=\"0\" izz=\"0\"/></inertial></link>");
  EXPECT_EQ(write_mechanism(read_arm(text)), write_mechanism(read_arm(kUrdfArm)));
}

TEST(UrdfAsWritten, WhatFixedJointsHaveBesidesMeansNothing) {
  const MechanismDescription arm = read_arm(
      text_with(kUrdfArm, "<child link=\"flange\"/>",
                "<child link=\"flange\"/><dynamics damping=\"1\" friction=\"2\"/><limit effort=\"1\" velocity=\"1\"/>"
                "<mimic joint=\"wrist\"/>"));
  EXPECT_EQ(arm.joint_springs.size(), 1U);
  EXPECT_TRUE(arm.couplings.empty());
  EXPECT_TRUE(tells(arm, "<dynamics> and <mimic> of fixed joints mean nothing: plate"));
}

TEST(UrdfAsWritten, AMarkerKeepsTheTurnOfItsFrame) {
  const MechanismDescription arm = read_arm(kUrdfArm);
  const Eigen::Vector4d turn(std::cos(0.2), 0.0, 0.0, std::sin(0.2));
  EXPECT_TRUE(arm.markers[0].rotation.isApprox(turn, 1e-15));
  EXPECT_EQ(parse_mechanism(write_mechanism(arm), "arm.toml").markers[0].rotation, arm.markers[0].rotation);
}

TEST(UrdfAsWritten, TheRootLinkFloatsWhenItIsAskedTo) {
  const std::string text = text_with(kUrdfArm, "<mass value=\"7\"/>",
                                     "<mass value=\"7\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" "
                                     "izz=\"1\"/>");
  const Mechanism arm(read_arm(text, "floating"));
  EXPECT_EQ(arm.body_count(), 3);
  EXPECT_EQ(arm.tree_joints()[0].type, JointType::free);
  EXPECT_EQ(arm.tree_joints()[0].name, "floating_base");
  EXPECT_EQ(arm.u_size(), 8);
  EXPECT_EQ(arm.bodies()[0].name, "base");
  EXPECT_TRUE(tells(read_arm(kUrdfArm), "link 'base' is the ground; --floating gives it a free joint"));
}

TEST(UrdfAsWritten, ABaseWithoutMassFloatsWithWhatIsFixedToIt) {
  std::string text = text_with(kUrdfArm, "<inertial><mass value=\"7\"/></inertial>", "");
  text = text_with(text, "type=\"revolute\"", "type=\"fixed\"");
  const Mechanism arm(read_arm(text, "floating"));
  EXPECT_EQ(arm.body_count(), 2);
  EXPECT_EQ(arm.bodies()[0].mass, 2.0);
  EXPECT_TRUE(arm.bodies()[0].regular);
}

TEST(UrdfAsWritten, ExtensionsAreNotReadAndTold) {
  const MechanismDescription arm = read_arm(
      text_with(kUrdfArm, "</robot>",
                "<transmission/><gazebo><plugin x=\"${y}\"/></gazebo><gazebo/><material name=\"m\"/></robot>"));
  EXPECT_TRUE(tells(arm, "not read: <gazebo> (2), <transmission>"));
  EXPECT_TRUE(tells(arm, "joint stops are not modelled: shoulder"));
  EXPECT_FALSE(tells(read_arm(kUrdfArm, "ignore=limits"), "joint stops"));
}

TEST(UrdfAsWritten, NamesThatFormulasCannotHaveAreChangedAndTold) {
  std::string text = kUrdfArm;
  const auto rename = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from)) {
      text.replace(at, from.size(), to);
    }
  };
  rename("\"upper\"", "\"upper-arm/left 1\"");
  rename("\"hand\"", "\"upper arm/left 1\"");
  rename("\"wrist\"", "\"7_wrist\"");
  rename("name=\"shoulder\"", "name=\"" + std::string(80, 'x') + "\"");
  const Mechanism arm(read_arm(text));
  EXPECT_EQ(arm.bodies()[0].name, "upper_arm_left_1");
  EXPECT_EQ(arm.bodies()[1].name, "upper_arm_left_1__2");
  EXPECT_EQ(arm.tree_joints()[0].name, std::string(64, 'x'));
  EXPECT_EQ(arm.tree_joints()[1].name, "_7_wrist");
  EXPECT_TRUE(tells(arm.description(), "'upper arm/left 1' is upper_arm_left_1__2"));
  EXPECT_TRUE(tells(arm.description(), "'7_wrist' is _7_wrist"));
}

TEST(UrdfAsWritten, ByteOrderMarksLineEndsAndCapitalsMakeNoDifference) {
  std::string text = kUrdfArm;
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2)) {
    text.replace(at, 1, "\r\n");
  }
  EXPECT_EQ(write_mechanism(parse_mechanism("\xef\xbb\xbf" + text, "ARM.URDF")), write_mechanism(read_arm(kUrdfArm)));
}

TEST(UrdfAsWritten, FrictionIsLeftOutWhenItIsAskedFor) {
  const MechanismDescription arm =
      read_arm(text_with(kUrdfArm, "friction=\"0\"", "friction=\"0.1\""), "ignore=friction");
  EXPECT_TRUE(tells(arm, "dry friction is ignored: shoulder"));
  EXPECT_EQ(arm.source, "URDF [ignore=friction]");
}

TEST(UrdfAsWritten, FrictionAndLimitsAreModelledWhenItIsAskedFor) {
  const MechanismDescription arm =
      read_arm(text_with(kUrdfArm, "friction=\"0\"", "friction=\"0.1\""), "friction=0.02,stops=500");
  ASSERT_EQ(arm.joint_frictions.size(), 1U);
  const JointFrictionDescription& friction = arm.joint_frictions[0];
  EXPECT_EQ(friction.joint, "shoulder");
  EXPECT_EQ(friction.kinetic, 0.1);
  EXPECT_EQ(friction.breakaway, 0.1);
  EXPECT_EQ(friction.regularisation_velocity, 0.02);
  ASSERT_EQ(arm.joint_stops.size(), 1U);
  EXPECT_EQ(arm.joint_stops[0].joint, "shoulder");
  EXPECT_EQ(arm.joint_stops[0].lower, -1.0);
  EXPECT_EQ(arm.joint_stops[0].upper, 1.0);
  EXPECT_EQ(arm.joint_stops[0].stiffness, 500.0);
  EXPECT_FALSE(tells(arm, "dry friction"));
  EXPECT_FALSE(tells(arm, "joint stops"));
  EXPECT_NO_THROW(Mechanism{arm});
  EXPECT_NE(
      refusal_of_text(text_with(kUrdfArm, "lower=\"-1\"", "lower=\"3\""), kArmName, parse_robot_options("stops=1"))
          .find("arm.urdf:8: joint 'shoulder': the limit's lower = 3 is above upper = 1; swap them"),
      std::string::npos);
  EXPECT_NE(refusal_of_text(text_with(kUrdfArm, "friction=\"0\"", "friction=\"-1\""), kArmName,
                            parse_robot_options("friction=1"))
                .find("friction -1 is negative"),
            std::string::npos);
}

TEST(UrdfAsWritten, ALinkWithoutMassThatCarriesSomeIsABodyWithoutMass) {
  const Mechanism gimbal(read_arm(text_with(kUrdfArm, "type=\"fixed\"", "type=\"continuous\"")));
  ASSERT_EQ(gimbal.body_count(), 3);
  EXPECT_EQ(gimbal.bodies()[1].mass, 0.0);
  EXPECT_FALSE(gimbal.bodies()[1].regular);
}

TEST(UrdfAsWritten, AWorldThatIsNotDeclaredIsTheGround) {
  const std::string text =
      text_with(kUrdfArm, "<link name=\"base\"><inertial><mass value=\"7\"/></inertial></link>", "");
  const MechanismDescription arm = read_arm(text_with(text, "<parent link=\"base\"/>", "<parent link=\"world\"/>"));
  EXPECT_EQ(arm.joints[0].a, kGround);
  EXPECT_TRUE(tells(arm, "link 'world' is not declared"));
}

TEST(UrdfAsWritten, AllErrorsStandInOneMessageByLine) {
  std::string text = text_with(kUrdfArm, "<mass value=\"1\"/>", "<mass value=\"-1\"/>");
  text = text_with(text, "friction=\"0\"", "friction=\"3\"");
  text = text_with(text, "izz=\"0.055\"", "izz=\"0.5\"");
  text = text_with(text, "rpy=\"0 0 0.4\"", "rpy=\"0 0 inf\"");
  text = text_with(text, "</robot>", "<link name=\"hand\"/></robot>");
  const std::string message = refusal_of_text(text, kArmName);
  std::size_t last = 0;
  for (const char* const part :
       {"arm.urdf:9: 5 errors", "arm.urdf:9: joint 'shoulder': dry friction (3)", "arm.urdf:16: link 'upper': no rigid",
        "the nearest that a rigid body can have: ixx=", "arm.urdf:19: <origin rpy=\"0 0 inf\">",
        "arm.urdf:23: link 'hand': mass = -1", "arm.urdf:25: there is a link 'hand' already"}) {
    const std::size_t place = message.find(part);
    ASSERT_NE(place, std::string::npos) << part << "\nin\n" << message;
    EXPECT_GE(place, last) << message;
    last = place;
  }
}

TEST(UrdfAsWritten, TheInertiaThatIsProposedIsAccepted) {
  const std::string given = R"(ixx="0.01" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.055")";
  for (const char* const wrong :
       {R"(ixx="0.01" ixy="0.002" ixz="0.03" iyy="0.05" iyz="0" izz="0.5")",
        R"(ixx="-1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1")", R"(ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="9")"}) {
    const std::string text = text_with(kUrdfArm, given, wrong);
    const std::string message = refusal_of_text(text, kArmName);
    const std::size_t begin = message.find("can have: ");
    ASSERT_NE(begin, std::string::npos) << message;
    EXPECT_EQ(refusal_of_text(text_with(text, wrong, message.substr(begin + 10)), kArmName), "") << message;
  }
}

TEST(UrdfAsWritten, MacrosThatWereNotResolvedAreRefused) {
  const std::string macros =
      refusal_of_text(text_with(kUrdfArm, "</robot>",
                                "<xacro:include filename=\"x\"/><xacro:arm a=\"1\"/><xacro:arm a=\"2\"/></robot>"),
                      kArmName);
  EXPECT_NE(macros.find("arm.urdf:25: <xacro:arm> (2 times) is a macro"), std::string::npos) << macros;
  EXPECT_NE(macros.find("arm.urdf:25: <xacro:include> is a macro"), std::string::npos) << macros;
  EXPECT_NE(
      refusal_of_text(text_with(kUrdfArm, "link=\"base\"", "link=\"${prefix}base\""), kArmName).find("run xacro first"),
      std::string::npos);
}

TEST(UrdfAsWritten, OptionsReadBackFromTheirText) {
  for (const char* const text :
       {"", "floating", "fixed=keep", "ignore=friction", "floating,fixed=keep,ignore=armature+friction+limits",
        "friction=0.001,stops=10000,ignore=armature"}) {
    EXPECT_EQ(to_text(parse_robot_options(text)), text);
  }
  EXPECT_THROW(parse_robot_options("flaoting"), std::invalid_argument);
  EXPECT_THROW(parse_robot_options("ignore=mass"), std::invalid_argument);
  for (const char* const text : {"friction=", "friction=0", "stops=-1", "stops=1x", "friction=inf",
                                 "friction=1,ignore=friction", "ignore=limits,stops=1"}) {
    EXPECT_THROW(parse_robot_options(text), std::invalid_argument) << text;
  }
  EXPECT_EQ(split_robot_word("a[1].urdf[floating]"), std::pair(std::string("a[1].urdf"), std::string("floating")));
  EXPECT_EQ(split_robot_word("hdca[leaf=body]").second, "");
}

}  // namespace
}  // namespace mbdbench
