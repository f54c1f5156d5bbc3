/// \file
/// Starts of mechanisms whose couplings hold factors of very different sizes: what only a small factor ties counts as
/// much as anything else.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "mechanisms/model/mechanism.hpp"
#include "tests/support/four_bar.hpp"

namespace mbdbench {
namespace {

constexpr std::array kFactors = {1e-3, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
constexpr std::array kMultiples = {1e-9, 1.0, 1e9};

/// Two wheels on the ground: multiple (q_first + factor q_second) = multiple value.
MechanismDescription wheels(double factor, double multiple, double value) {
  MechanismDescription description;
  description.name = "wheels";
  for (const char* name : {"first", "second"}) {
    description.bodies.push_back({fmt::format("{}_body", name), 1.0, Vec3(0.1, 0.0, 0.0), 0.1 * Mat3::Identity()});
    JointDescription joint;
    joint.name = name;
    joint.b = description.bodies.back().name;
    joint.axis = Vec3::UnitY();
    description.joints.push_back(joint);
  }
  description.couplings = {{"tie", {{"first", 0, multiple}, {"second", 0, multiple * factor}}, multiple * value}};
  return description;
}

TEST(coupling_starts, a_dependent_joint_with_a_small_factor_makes_up_for_the_other) {
  for (const double factor : kFactors) {
    for (const double multiple : kMultiples) {
      MechanismDescription description = wheels(factor, multiple, 0.3 + factor);
      description.joints[0].q0 = {0.3};
      description.joints[0].v0 = {0.5};
      description.joints[1].dependent = true;
      const Mechanism mechanism(description);
      EXPECT_EQ(mechanism.q0()[0], 0.3);
      // The value has 16 digits, of which the factor leaves so many.
      EXPECT_NEAR(mechanism.q0()[1], 1.0, 1e-15 / factor + 1e-14) << factor << " " << multiple;
      EXPECT_EQ(mechanism.u0()[0], 0.5);
      EXPECT_NEAR(mechanism.u0()[1] * factor, -0.5, 1e-14) << factor << " " << multiple;
      EXPECT_EQ(mechanism.generic_rank().rank, 1);
    }
  }
}

TEST(coupling_starts, a_joint_may_have_far_to_turn) {
  MechanismDescription description = wheels(1e-9, 1.0, 0.5);
  description.joints[0].q0 = {0.3};
  description.joints[1].dependent = true;
  const Mechanism mechanism(description);
  EXPECT_NEAR(mechanism.q0()[1], 0.2e9, 1.0);
}

TEST(coupling_starts, what_a_driven_joint_ties_by_a_small_factor_has_no_freedom) {
  for (const double factor : kFactors) {
    for (const double multiple : kMultiples) {
      MechanismDescription description = wheels(factor, multiple, 0.0);
      description.joints[0].motions = {{0, fmt::format("{} * sin(t)", factor), fmt::format("{} * cos(t)", factor),
                                        fmt::format("-{} * sin(t)", factor)}};
      const Mechanism mechanism(description);
      EXPECT_EQ(mechanism.generic_rank().rank, 2) << factor << " " << multiple;
      EXPECT_NEAR(mechanism.u0()[1], -1.0, 1e-12) << factor << " " << multiple;
    }
  }
}

TEST(coupling_starts, a_loop_that_keeps_the_joint_is_the_reason) {
  for (const double factor : kFactors) {
    // The angle between coupler and rocker cannot turn all round, nor can the linkage follow it.
    MechanismDescription description = Mechanism(test::four_bar(3.0, {1.5, -1.0, 2.0})).description();
    description.bodies.push_back({"wheel", 1.0, Vec3::Zero(), Mat3::Identity()});
    JointDescription axle;
    axle.name = "axle";
    axle.b = "wheel";
    axle.q0 = {0.1};
    for (JointDescription& joint : description.joints) {
      joint.dependent = !joint.cut;
    }
    description.joints.insert(description.joints.end() - 1, axle);
    description.couplings = {{"tie", {{"axle", 0, 1.0}, {"rocker", 0, factor}}, 0.1 + 100.0 * factor}};
    try {
      const Mechanism mechanism(description);
      ADD_FAILURE() << "a coupling that is open was taken, factor " << factor;
    } catch (const ModelError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("coupling 'tie' is off by"), std::string::npos) << message;
      EXPECT_NE(message.find("keep joint 'rocker' from making up for it"), std::string::npos) << message;
    }
  }
}

TEST(coupling_starts, joints_that_may_not_be_changed_are_the_reason) {
  MechanismDescription description = wheels(1e-7, 1.0, 0.5);
  description.bodies.push_back({"other_body", 1.0, Vec3::Zero(), Mat3::Identity()});
  JointDescription other;
  other.name = "other";
  other.b = "other_body";
  other.dependent = true;
  description.joints.push_back(other);
  try {
    const Mechanism mechanism(description);
    ADD_FAILURE() << "a coupling that is open was taken";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("none of its joints may be changed"), std::string::npos) << error.what();
  }
}

/// A driven wheel that holds another body by a small factor: the wheel has a row of its own, and its rate no other
/// unit.
TEST(coupling_starts, a_driven_joint_with_a_small_factor_holds_the_other) {
  for (const double factor : kFactors) {
    for (const double multiple : kMultiples) {
      MechanismDescription description = wheels(factor, multiple, 0.0);
      description.joints[1].motions = {{0, "0.3 * sin(2 * t)", "0.6 * cos(2 * t)", "-1.2 * sin(2 * t)"}};
      const Mechanism mechanism(description);
      EXPECT_EQ(mechanism.generic_rank().rank, 2) << factor << " " << multiple;
      EXPECT_NEAR(mechanism.u0()[1], 0.6, 1e-14) << factor << " " << multiple;
      EXPECT_NEAR(mechanism.u0()[0], -0.6 * factor, 1e-15) << factor << " " << multiple;
    }
  }
}

}  // namespace
}  // namespace mbdbench
