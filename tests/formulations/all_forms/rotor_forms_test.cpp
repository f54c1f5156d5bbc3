/// \file
/// Rotors behind gears in every formulation that takes them, against equations by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "mechanisms/model/description/rotor.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

// Carrier and arm turn about one axis with 0.5 and 0.2 kg m^2, a motor of 1e-3 kg m^2 with a ratio of 50 drives the arm
// with 3 N m at the joint: T = J_a w^2 / 2 + J_b (w + v)^2 / 2 + J (w + 50 v)^2 / 2.
TEST(rotor, reacts_on_its_carrier_as_by_hand) {
  for (const double mass : {0.0, 0.1}) {
    MechanismDescription description;
    description.name = "arm";
    description.gravity.setZero();
    description.bodies = {{"carrier", 1.0, Vec3::Zero(), Vec3(0.5, 0.5, 0.5).asDiagonal()},
                          {"arm", 1.0, Vec3::Zero(), Vec3(0.2, 0.2, 0.2).asDiagonal()}};
    JointDescription base;
    base.name = "base";
    base.b = "carrier";
    base.v0 = {1.5};
    JointDescription elbow;
    elbow.name = "elbow";
    elbow.a = "carrier";
    elbow.b = "arm";
    elbow.v0 = {-0.7};
    description.joints = {base, elbow};
    description.joint_loads = {{"torque", "elbow", 0, ConstantLaw{3.0}}};
    add_rotor(description, {"motor", "elbow", 0, 1e-3, 50.0, mass});
    const Mechanism mechanism(description);
    Eigen::Matrix2d inertia;
    inertia << 0.5 + 0.2 + 1e-3, 0.2 + 0.05, 0.2 + 0.05, 0.2 + 2.5;
    const Eigen::Vector2d expected = inertia.inverse() * Eigen::Vector2d(0.0, 3.0);
    std::vector<std::string> taken;
    for (const FormulationEntry& entry : formulation_registry()) {
      const bool reduced = std::string_view(entry.key).ends_with("-reduced");  // another layout of the state
      if (!refusal_of(entry, mechanism).empty() || entry.rate_kind != StateKind::velocity || reduced ||
          !test::in_joint_coordinates(entry)) {
        continue;
      }
      taken.emplace_back(entry.key);
      const auto formulation = test::make(entry.key, mechanism);
      const test::Evaluation here = test::evaluate_at(*formulation, 0.0, mechanism.q0(), mechanism.u0());
      ASSERT_TRUE(here.status.ok) << entry.key << ' ' << here.status.message();
      EXPECT_NEAR(here.xdot[3], expected[0], 1e-12) << entry.key;
      EXPECT_NEAR(here.xdot[4], expected[1], 1e-12) << entry.key;
      EXPECT_NEAR(here.xdot[5], 50.0 * expected[1], 1e-10) << entry.key;
    }
    // Without a mass of its own it is a body without mass, which divide and conquer refuses.
    EXPECT_EQ(std::count(taken.begin(), taken.end(), "dca"), mass > 0.0 ? 1 : 0);
    EXPECT_EQ(std::count(taken.begin(), taken.end(), "bae-haug"), 1);
    EXPECT_EQ(std::count(taken.begin(), taken.end(), "dense"), 1);
  }
}

}  // namespace
}  // namespace mbdbench
