/// \file
/// What must not be refused: values just inside the limits of the checks.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <string>

#include "mechanisms/model/description/name_suggestion.hpp"
#include "mechanisms/model/mechanism.hpp"
#include "tests/mechanisms/chain_with_everything.hpp"

namespace mbdbench {
namespace {

void expect_accepted(const MechanismDescription& description) {
  EXPECT_NO_THROW({
    try {
      const Mechanism mechanism(description);
    } catch (const ModelError& error) {
      ADD_FAILURE() << error.what();
      throw;
    }
  });
}

TEST(ValidationLimits, ValidMechanismIsAccepted) {
  const Mechanism mechanism(chain_with_everything());
  EXPECT_EQ(mechanism.body_count(), 3);
  EXPECT_EQ(mechanism.cut_joints().size(), 1U);
  EXPECT_TRUE(mechanism.rheonomic());
}

TEST(ValidationLimits, OwnDescriptionIsAcceptedAndUnchanged) {
  const Mechanism mechanism(chain_with_everything());
  const Mechanism again(mechanism.description());
  EXPECT_EQ(again.q0(), mechanism.q0());
  EXPECT_EQ(again.u0(), mechanism.u0());
}

TEST(ValidationLimits, ThinRodsAndFlatPlatesInAnyAxes) {
  const Mat3 turned = Eigen::AngleAxisd(0.7, Vec3(1.0, 2.0, 3.0).normalized()).toRotationMatrix();
  for (const Vec3& moments : {Vec3(1e-9, 1.0, 1.0), Vec3(1.0, 2.0, 3.0), Vec3(0.333333, 0.333333, 0.666667),
                              Vec3(1e-14, 1e-5, 1e-5), Vec3(1e12, 1e12, 1e12)}) {
    MechanismDescription description = chain_with_everything();
    description.bodies[0].inertia = moments.asDiagonal();
    expect_accepted(description);
    const Mat3 inertia = turned * moments.asDiagonal() * turned.transpose();
    description.bodies[0].inertia = inertia.selfadjointView<Eigen::Lower>();
    expect_accepted(description);
  }
}

TEST(ValidationLimits, NormalisedVectorsAreUnit) {
  MechanismDescription description = chain_with_everything();
  description.joints[2].axis = Vec3(1.0, 2.0, 3.0).normalized();
  description.joints[2].axis2 = Vec3(3.0, 0.0, -1.0).normalized();
  expect_accepted(description);
}

TEST(ValidationLimits, ConsistentMotions) {
  const std::vector<PrescribedMotion> motions = {
      {0, "0", "0", "0"},
      {0, "1e3*t", "1e3", "0"},
      {0, "1e-6*sin(1e4*t)", "1e-2*cos(1e4*t)", "-1e2*sin(1e4*t)"},
      {0, "exp(t) - 1", "exp(t)", "exp(t)"},
      {0, "t < 2 ? 0.5*t^2 : 2*t - 2", "t < 2 ? t : 2", "t < 2 ? 1 : 0"},
      // Ends at t = 4 s.
      {0, "8 - (4 - t)^1.5", "1.5*sqrt(4 - t)", "-0.75/sqrt(4 - t)"},
      {0, "(t >= 1) * 0", "0", "t == 1 && t != 2 ? 0 : 0"},
  };
  for (const PrescribedMotion& motion : motions) {
    MechanismDescription description;
    description.bodies = {{"wheel", 1.0, Vec3::Zero(), Mat3::Identity()}};
    JointDescription hinge;
    hinge.name = "hinge";
    hinge.b = "wheel";
    hinge.dependent = true;
    hinge.motions = {motion};
    description.joints = {hinge};
    SCOPED_TRACE(motion.position);
    expect_accepted(description);
  }
}

TEST(ValidationLimits, DependentMarkOfACutJointChangesNothing) {
  MechanismDescription description = chain_with_everything();
  description.joints[3].dependent = true;
  description.joints[2].q0 = {0.01, 0.02};
  expect_accepted(description);
}

TEST(NameSuggestion, FindsSlipsOfThePenOnly) {
  const std::vector<std::string> known = {"stiffness", "damping", "rest", "a", "b"};
  EXPECT_EQ(nearest_name("stifness", known), "stiffness");
  EXPECT_EQ(nearest_name("dampign", known), "damping");
  EXPECT_EQ(nearest_name("Rest", known), "rest");
  EXPECT_EQ(nearest_name("c", known), "");
  EXPECT_EQ(nearest_name("length", known), "");
  EXPECT_EQ(suggest_name("rset", {"rest", "name"}, "keys"), "did you mean \"rest\"? keys: rest, name");
  EXPECT_EQ(suggest_name("x", {}, "joints"), "there are no joints");
}

}  // namespace
}  // namespace mbdbench
