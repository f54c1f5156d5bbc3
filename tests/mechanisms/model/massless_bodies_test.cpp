/// \file
/// Bodies without mass, or without inertia about some axis: taken where what they carry has some.
#include <gtest/gtest.h>

#include <string>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {
namespace {

/// Two hinges, about z and about x, with a body without mass between.
MechanismDescription gimbal() {
  MechanismDescription description;
  description.name = "gimbal";
  description.bodies = {{"ring", 0.0, Vec3::Zero(), Mat3::Zero()},
                        {"rotor", 2.0, Vec3(0.1, 0.2, 0.3), Vec3(0.1, 0.2, 0.25).asDiagonal()}};
  JointDescription outer;
  outer.name = "outer";
  outer.b = "ring";
  JointDescription inner;
  inner.name = "inner";
  inner.a = "ring";
  inner.b = "rotor";
  inner.axis = Vec3::UnitX();
  description.joints = {outer, inner};
  return description;
}

std::string refusal(const MechanismDescription& description) {
  try {
    const Mechanism mechanism(description);
  } catch (const ModelError& error) {
    return error.what();
  }
  return {};
}

TEST(MasslessBodies, AreTakenWhereTheyCarryMass) {
  const Mechanism mechanism(gimbal());
  EXPECT_FALSE(mechanism.bodies()[0].regular);
  EXPECT_TRUE(mechanism.bodies()[1].regular);
  EXPECT_TRUE(mechanism.bodies()[0].inertia_inverse.isZero(0.0));
}

TEST(MasslessBodies, AreRefusedAtATip) {
  MechanismDescription description = gimbal();
  std::swap(description.bodies[0].mass, description.bodies[1].mass);
  std::swap(description.bodies[0].inertia, description.bodies[1].inertia);
  EXPECT_NE(refusal(description).find("body 'rotor' and what it carries have no inertia along joint 'inner'"),
            std::string::npos)
      << refusal(description);
}

TEST(MasslessBodies, APointMassOnTheAxisOfItsJointIsRefused) {
  MechanismDescription description = gimbal();
  description.bodies[1].inertia = Mat3::Zero();
  EXPECT_EQ(refusal(description), "") << "a point off both axes";
  description.bodies[1].com = Vec3(0.4, 0.0, 0.0);
  EXPECT_NE(refusal(description).find("along joint 'inner'"), std::string::npos) << refusal(description);
  // Rounding of sines leaves 1e-17 of the lever.
  description.joints[0].frame_a.rotation << std::cos(0.3), std::sin(0.3), 0.0, 0.0;
  description.joints[1].frame_a.rotation << std::cos(0.7), 0.0, std::sin(0.7), 0.0;
  EXPECT_NE(refusal(description).find("along joint 'inner'"), std::string::npos) << refusal(description);
}

TEST(MasslessBodies, AHingeThatTheOuterOneRepeatsIsRefused) {
  MechanismDescription description = gimbal();
  description.joints[1].axis = Vec3::UnitZ();  // two hinges in line, no inertia between them
  EXPECT_NE(refusal(description).find("along joint 'outer'"), std::string::npos) << refusal(description);
}

// A free base without mass may turn about the first hinge by itself, whatever hangs on the hinge: what the hinge takes
// away from the inertia of the chain leaves rounding of that.
TEST(MasslessBodies, AFreeBaseThatAHingeRepeatsIsRefused) {
  for (int links = 1; links <= 7; ++links) {
    MechanismDescription description;
    description.name = "floating";
    description.bodies = {{"base", 0.0, Vec3::Zero(), Mat3::Zero()}};
    JointDescription floating;
    floating.name = "floating_base";
    floating.type = JointType::free;
    floating.b = "base";
    description.joints = {floating};
    for (int i = 0; i < links; ++i) {
      JointDescription hinge;
      hinge.name = "hinge" + std::to_string(i);
      hinge.a = description.bodies.back().name;
      hinge.b = "link" + std::to_string(i);
      hinge.axis = i % 2 == 0 ? Vec3::UnitZ() : Vec3::UnitY();
      hinge.frame_a.position = Vec3(0.0, 0.0, i == 0 ? 0.0 : 0.3);
      hinge.q0 = {0.1 * i};
      description.bodies.push_back({hinge.b, 1.0, Vec3(0.02, 0.0, 0.1), Vec3(0.01, 0.012, 0.009).asDiagonal()});
      description.joints.push_back(hinge);
    }
    EXPECT_NE(refusal(description).find("body 'base' and what it carries have no inertia along joint 'floating_base'"),
              std::string::npos)
        << links << " links: " << refusal(description);
    // A gram off the axis turns with the base.
    description.bodies[0].mass = 1e-3;
    description.bodies[0].com = Vec3(0.05, 0.05, 0.0);
    EXPECT_EQ(refusal(description), "") << links << " links";
  }
}

TEST(MasslessBodies, AnInertiaMayBeZeroButNotNegative) {
  MechanismDescription description = gimbal();
  description.bodies[1].inertia = Vec3(0.0, 0.2, 0.2).asDiagonal();
  EXPECT_EQ(refusal(description), "");
  description.bodies[1].inertia = Vec3(-0.01, 0.2, 0.2).asDiagonal();
  EXPECT_NE(refusal(description).find("none may be negative"), std::string::npos);
  description.bodies[1].inertia = Mat3::Identity();
  description.bodies[1].mass = -1.0;
  EXPECT_NE(refusal(description).find("mass = -1"), std::string::npos);
}

}  // namespace
}  // namespace mbdbench
