/// \file
/// MJCF: settings, frames and forces beside joints that would move the robot otherwise.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "tests/mechanisms/urdf_arm.hpp"

namespace mbdbench {
namespace {

constexpr const char* kForcesName = "model.xml";

MechanismDescription read_forces(const std::string& text, const char* options = "") {
  return parse_mechanism(text, kForcesName, parse_robot_options(options));
}

void expect_refused(const std::string& text, const std::string& why) {
  const std::string message = refusal_of_text(text, kForcesName);
  EXPECT_NE(message.find(why), std::string::npos) << message;
}

// One error in an included file, another beside it: each names its own file and line.
TEST(MjcfForces, ErrorsOfIncludedFilesNameThem) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("mbdbench_mjcf_lines_{}", getpid());
  std::filesystem::create_directory(folder);
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  write("arm.xml",
        "<mujocoinclude>\n\n<body name=\"arm\">\n<joint name=\"j\" type=\"hing\"/>\n<geom size=\"1\"/></body>\n"
        "<include file=\"hand.xml\"/></mujocoinclude>");
  write("hand.xml", "<mujocoinclude><body>\n<joint axis=\"0 0\"/><geom size=\"1\"/></body></mujocoinclude>");
  write("main.xml",
        "<mujoco>\n<worldbody><include file=\"arm.xml\"/>\n<body><joint type=\"bal\"/></body></worldbody></mujoco>");
  write("light.xml", "<mujocoinclude>\n<body name=\"b\"><joint/></body></mujocoinclude>");
  write("model.xml", "<mujoco><worldbody><include file=\"light.xml\"/></worldbody></mujoco>");
  const auto refusal = [&](const char* name) -> std::string {
    try {
      load_mechanism(folder / name);
    } catch (const FileError& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string message = refusal("main.xml");
  for (const char* const place : {"main.xml:3: joint", "arm.xml:4: joint 'j'", "hand.xml:2: <joint axis"}) {
    EXPECT_NE(message.find(place), std::string::npos) << place << "\nin\n" << message;
  }
  EXPECT_NE(refusal("model.xml").find("light.xml:2: "), std::string::npos) << refusal("model.xml");
  std::filesystem::remove_all(folder);
}

// MuJoCo 4.0.0 gives the body of this model 0.36 kg, its centre of mass 0.15 0.2 0.5, and the site's place below.
TEST(MjcfForces, FramesMoveWhatStandsInThem) {
  const MechanismDescription model = read_forces(R"(<mujoco><compiler angle="radian"/>
    <default><default class="heavy"><geom density="2000"/></default></default>
    <worldbody><frame pos="0 0 1" euler="0 0 1.5707963267948966">
      <body name="b" pos="1 0 0"><joint name="j"/>
        <frame pos="0 0.2 0" childclass="heavy"><frame pos="0.15 0 0"><geom type="box" size="0.1 0.15 0.0015" pos="0 0 0.5"/>
          <site name="s" pos="0.1 0 0"/></frame></frame>
      </body></frame></worldbody></mujoco>)");
  ASSERT_EQ(model.bodies.size(), 1U);
  EXPECT_NEAR(model.bodies[0].mass, 0.36, 1e-15);
  EXPECT_TRUE(model.bodies[0].com.isApprox(Vec3(0.15, 0.2, 0.5), 1e-15));
  const Mechanism mechanism(model);
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(mechanism.q0()));
  const Marker& site = mechanism.markers()[static_cast<std::size_t>(*mechanism.find_marker("s"))];
  EXPECT_TRUE(kinematics.world_point(site.body, site.point).isApprox(Vec3(-0.2, 1.25, 1.0), 1e-14));
  expect_refused(R"(<mujoco><worldbody><body><frame><joint/></frame><geom size="1"/></body></worldbody></mujoco>)",
                 "<joint> in a <frame> is not read; put it into the body itself");
}

TEST(MjcfForces, GravityIsCompensatedAtTheCentreOfMass) {
  const MechanismDescription model = read_forces(R"(<mujoco><option gravity="0 0 -10"/><worldbody>
    <body name="b" gravcomp="1"><joint/><inertial mass="2" pos="0.1 0 0" diaginertia="1 1 1"/>
      <body name="held" pos="0 0 1" gravcomp="0.5"><inertial mass="4" pos="0 0.2 0" diaginertia="1 1 1"/></body>
    </body></worldbody></mujoco>)");
  ASSERT_EQ(model.body_loads.size(), 2U);
  const BodyLoadDescription& whole = model.body_loads[0];
  EXPECT_EQ(whole.body, "b");
  EXPECT_TRUE(whole.point.isApprox(Vec3(0.1, 0.0, 0.0)));
  EXPECT_FALSE(whole.in_body_axes);
  EXPECT_EQ(std::get<ConstantLaw>(whole.force[2]).value, 20.0);
  const BodyLoadDescription& half = model.body_loads[1];
  EXPECT_EQ(half.body, "b") << "the held one is part of it";
  EXPECT_TRUE(half.point.isApprox(Vec3(0.0, 0.2, 1.0)));
  EXPECT_EQ(std::get<ConstantLaw>(half.force[2]).value, 20.0);
}

TEST(MjcfForces, GravityThatIsSwitchedOffIsZero) {
  const MechanismDescription model = read_forces(R"(<mujoco><option><flag gravity="disable"/></option>
    <worldbody><body gravcomp="1"><joint/><geom size="1"/></body></worldbody></mujoco>)");
  EXPECT_EQ(model.gravity, Vec3::Zero());
  EXPECT_TRUE(model.body_loads.empty());
  expect_refused(R"(<mujoco><option><flag gravity="disabled"/></option>
    <worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>)",
                 "<flag gravity=\"disabled\"> must be \"enable\" or \"disable\"");
}

// MuJoCo gives a body the geoms of groups 0 to 5, or of those that the compiler names.
TEST(MjcfForces, GeomsOfOtherGroupsHaveNoMass) {
  const auto mass = [](const char* settings) {
    return read_forces(fmt::format(
                           R"(<mujoco><compiler {}/><worldbody><body><joint/><geom type="box" size="1 1 1" mass="2"/>
        <geom type="box" size="1 1 1" mass="5" group="3"/></body></worldbody></mujoco>)",
                           settings))
        .bodies[0]
        .mass;
  };
  EXPECT_EQ(mass(""), 7.0);
  EXPECT_EQ(mass("inertiagrouprange=\"3 5\""), 5.0);
  expect_refused(R"(<mujoco><compiler inertiagrouprange="3 1"/>
    <worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>)",
                 "the first group must not exceed the last");
}

TEST(MjcfForces, ForcesThatAreNotModelledAreRefused) {
  const auto with = [](const char* more, const char* option = "") {
    return fmt::format(R"(<mujoco>{}<worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>{}</mujoco>)",
                       option, more);
  };
  const char* const spring = R"(<tendon><fixed name="t" stiffness="3"><joint joint="j" coef="1"/></fixed></tendon>)";
  expect_refused(with(spring), "tendon 't': its stiffness is not modelled");
  expect_refused(with(R"(<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>)",
                      R"(<default><tendon damping="1"/></default>)"),
                 "tendon 't': its damping is not modelled");
  EXPECT_TRUE(
      tells(read_forces(with(R"(<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>)")), "<tendon>"))
      << "it does nothing by itself";
  expect_refused(with("", R"(<option><flag spring="disable"/></option>)"), "<flag spring=\"disable\"> is not obeyed");
  expect_refused(with("", R"(<default><joint springdamper="0.1 1"/></default>)"), "springdamper is not read");
}

}  // namespace
}  // namespace mbdbench
