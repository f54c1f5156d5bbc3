/// \file
/// URDF: the same mechanism as from TOML, and what is wrong with a file in its own lines.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <ostream>
#include <string>
#include <vector>

#include "mechanisms/io/mechanism_reader.hpp"
#include "mechanisms/io/mechanism_writer.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "tests/mechanisms/urdf_arm.hpp"

namespace mbdbench {
namespace {

MechanismDescription read(const std::string& text) {
  return parse_mechanism(text, "arm.urdf");
}

TEST(Urdf, BodiesAndJointsAreThoseOfTheRobot) {
  const MechanismDescription arm = read(kUrdfArm);
  ASSERT_EQ(arm.bodies.size(), 2U);
  ASSERT_EQ(arm.joints.size(), 2U);
  EXPECT_EQ(arm.name, "arm");
  EXPECT_EQ(arm.gravity, Vec3(0.0, 0.0, -9.81));
  const BodyDescription& upper = arm.bodies[0];
  EXPECT_EQ(upper.mass, 2.0);
  EXPECT_EQ(upper.com, Vec3(0.25, 0.0, 0.0));
  // A quarter turn about z exchanges x and y; rounding of its sine and cosine.
  EXPECT_TRUE(upper.inertia.isApprox(Vec3(0.05, 0.01, 0.055).asDiagonal().toDenseMatrix(), 1e-15));
  const JointDescription& shoulder = arm.joints[0];
  EXPECT_EQ(shoulder.type, JointType::revolute);
  EXPECT_EQ(shoulder.a, kGround);
  EXPECT_EQ(shoulder.b, "upper");
  EXPECT_EQ(shoulder.axis, Vec3::UnitY());
  const Eigen::Quaterniond rotation(Eigen::AngleAxisd(0.3, Vec3::UnitZ()) * Eigen::AngleAxisd(-0.2, Vec3::UnitY()) *
                                    Eigen::AngleAxisd(0.1, Vec3::UnitX()));
  const Eigen::Vector4d wanted(rotation.w(), rotation.x(), rotation.y(), rotation.z());
  EXPECT_TRUE(shoulder.frame_a.rotation.isApprox(wanted, 1e-15));
  ASSERT_EQ(arm.joint_springs.size(), 1U);
  EXPECT_EQ(arm.joint_springs[0].damping, 0.25);
}

TEST(Urdf, ALinkWithoutInertiaThatIsFixedIsAFrameOfTheOther) {
  const MechanismDescription arm = read(kUrdfArm);
  const JointDescription& wrist = arm.joints[1];
  EXPECT_EQ(wrist.a, "upper");
  EXPECT_EQ(wrist.axis, Vec3::UnitX());  // URDF's default
  EXPECT_TRUE(wrist.frame_a.position.isApprox(Vec3(0.5 + 0.1 * std::cos(0.4), 0.1 * std::sin(0.4), 0.0), 1e-15));
  ASSERT_EQ(arm.markers.size(), 1U);
  EXPECT_EQ(arm.markers[0].name, "flange");
  EXPECT_EQ(arm.markers[0].body, "upper");
  EXPECT_EQ(arm.markers[0].point, Vec3(0.5, 0.0, 0.0));
}

TEST(Urdf, AMechanismOfItReadsBackFromToml) {
  const Mechanism arm = load_mechanism(kUrdfArm, "arm.urdf");
  const std::string toml = write_mechanism(arm.description());
  EXPECT_EQ(write_mechanism(load_mechanism(toml, "arm.toml").description()), toml);
}

TEST(Urdf, AJointThatFollowsAnotherIsCoupledToIt) {
  std::string text = kUrdfArm;
  text.insert(text.find("<axis xyz"), "<mimic joint=\"wrist\" multiplier=\"-2\" offset=\"0.3\"/>");
  const Mechanism arm(read(text));
  ASSERT_EQ(arm.couplings().size(), 1U);
  EXPECT_EQ(arm.couplings()[0].name, "shoulder_mimic");
  Eigen::VectorXd q(2);
  q << 0.3 - 2.0 * 0.1, 0.1;  // shoulder, wrist
  EXPECT_NEAR(arm.couplings()[0].residual(view(q)), 0.0, 1e-15);
  EXPECT_EQ(arm.q0()[1], 0.0) << "the joint that is followed stays where it is";
  EXPECT_NEAR(arm.q0()[0], 0.3, 1e-12);
}

struct BadUrdf {
  const char* name;
  std::string from;
  std::string to;
  std::size_t line;
  std::vector<std::string> message_parts;
};

void PrintTo(const BadUrdf& bad, std::ostream* stream) {
  *stream << bad.name;
}

class BadUrdfTest : public testing::TestWithParam<BadUrdf> {};

TEST_P(BadUrdfTest, TheMessageNamesTheLineAndWhatWouldBeRight) {
  const BadUrdf& bad = GetParam();
  std::string text = kUrdfArm;
  const std::size_t place = text.find(bad.from);
  ASSERT_NE(place, std::string::npos);
  text.replace(place, bad.from.size(), bad.to);
  try {
    static_cast<void>(load_mechanism(text, "arm.urdf"));
    FAIL() << "was accepted";
  } catch (const FileError& error) {
    EXPECT_EQ(error.line(), bad.line) << error.what();
    for (const std::string& part : bad.message_parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadUrdfTest,
    testing::Values(
        BadUrdf{"syntax", "</link>", "</lnk>", 3, {"arm.urdf:3", "is not XML"}},
        BadUrdf{"empty", kUrdfArm, "", 0, {"is not XML"}},
        BadUrdf{
            "root_element", kUrdfArm, "<html/>", 1, {"the outermost element is not <robot> or <mujoco>, but <html>"}},
        BadUrdf{"no_link", kUrdfArm, "<robot name=\"r\"/>", 1, {"there is no <link>"}},
        BadUrdf{"no_name",
                "<link name=\"upper\">",
                "<link>",
                5,
                {"there is no link 'upper'", "arm.urdf:11: <link> needs the attribute name"}},
        BadUrdf{"two_of_a_name",
                "<link name=\"upper\">",
                "<link name=\"base\">",
                5,
                {"there is no link 'upper'", "arm.urdf:11: there is a link 'base' already, in line 3"}},
        BadUrdf{"no_parent", "<parent link=\"base\"/>", "", 4, {"joint 'shoulder' has no <parent>"}},
        BadUrdf{"unknown_link", "<child link=\"upper\"/>", "<child link=\"uper\"/>", 5, {"did you mean \"upper\""}},
        BadUrdf{"unknown_type", "type=\"revolute\"", "type=\"revolut\"", 4, {"'revolut'; did you mean \"revolute\""}},
        BadUrdf{"moving_without_inertial",
                "<inertial><mass value=\"1\"/><inertia ixx=\"0.1\" ixy=\"0\" ixz=\"0\" iyy=\"0.1\" iyz=\"0\" "
                "izz=\"0.1\"/></inertial>",
                "",
                22,
                {"link 'hand' moves in joint 'wrist', and neither it nor what it carries has a mass"}},
        BadUrdf{"no_mass", "<mass value=\"2\"/>", "", 13, {"<inertial> of link 'upper' has no <mass>"}},
        BadUrdf{"no_product_of_inertia", " ixz=\"0\"", "", 16, {"<inertia> needs the attribute ixz"}},
        BadUrdf{"negative_mass", "<mass value=\"2\"/>", "<mass value=\"-2\"/>", 15, {"'upper'", "positive"}},
        BadUrdf{"no_physical_inertia", "izz=\"0.055\"", "izz=\"0.5\"", 16, {"'upper'", "inertia"}},
        BadUrdf{"no_number", "xyz=\"0 0 0.5\"", "xyz=\"0 0\"", 6, {"wants 3 finite numbers"}},
        BadUrdf{"xacro",
                "<mass value=\"2\"/>",
                "<mass value=\"${m}\"/>",
                15,
                {"<mass value=\"${m}\"> is a macro", "xacro"}},
        BadUrdf{"no_axis", "xyz=\"0 2 0\"", "xyz=\"0 0 0\"", 7, {"joint 'shoulder': the axis has no direction"}},
        BadUrdf{"friction",
                "friction=\"0\"",
                "friction=\"0.1\"",
                9,
                {"dry friction (0.1) is not modelled", "--ignore friction"}},
        BadUrdf{"mimic_of_nothing",
                "<axis xyz",
                "<mimic joint=\"wirst\"/><axis xyz",
                7,
                {"<mimic> of joint 'shoulder': there is no joint 'wirst'", "did you mean \"wrist\""}},
        BadUrdf{"mimic_of_no_joint", "<axis xyz", "<mimic/><axis xyz", 7, {"<mimic> needs the attribute joint"}},
        BadUrdf{"mimic_by_zero",
                "<axis xyz",
                "<mimic joint=\"wrist\" multiplier=\"0\"/><axis xyz",
                7,
                {"<mimic> of joint 'shoulder': with the multiplier 0"}},
        BadUrdf{"mimic_of_itself", "<axis xyz", "<mimic joint=\"shoulder\"/><axis xyz", 7, {"it follows itself"}},
        BadUrdf{"mimic_of_a_fixed_joint",
                "<axis xyz",
                "<mimic joint=\"plate\"/><axis xyz",
                7,
                {"follows joint 'plate', which is fixed", "make both of them fixed"}},
        BadUrdf{"negative_damping", "damping=\"0.25\"", "damping=\"-1\"", 9, {"damping -1 is negative"}},
        BadUrdf{"one_link",
                kUrdfArm,
                "<robot name=\"r\"><link name=\"base\"/></robot>",
                1,
                {"nothing moves", "--floating"}},
        BadUrdf{"no_masses",
                kUrdfArm,
                "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><joint name=\"j\" type=\"continuous\"><parent "
                "link=\"a\"/><child link=\"b\"/></joint></robot>",
                1,
                {"no link that moves has a mass"}},
        BadUrdf{"loop_joint", "</robot>", "<loop_joint/></robot>", 25, {"<loop_joint> adds a joint"}},
        BadUrdf{"closed_loop",
                "</robot>",
                "<joint name=\"rod\" type=\"fixed\"><parent link=\"base\"/><child link=\"hand\"/></joint></robot>",
                25,
                {"link 'hand' is the child of joint 'wrist' (line 21) already", "TOML"}},
        BadUrdf{"cycle", "<parent link=\"base\"/>", "<parent link=\"hand\"/>", 11, {"'base'", "'upper'", "cycle"}},
        BadUrdf{"two_bases",
                "</robot>",
                "<link name=\"lost\"/></robot>",
                25,
                {"'lost' is no joint's child", "'base' (line 3)"}}),
    [](const testing::TestParamInfo<BadUrdf>& tested) { return tested.param.name; });

}  // namespace
}  // namespace mbdbench
