/// \file
/// Closing loops at the start: from bad guesses, with marked joints, with impossible lengths, and nothing at all where
/// the state is consistent already.
#include "mechanisms/model/start/initial_state.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/observables.hpp"
#include "tests/support/four_bar.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

using test::four_bar;

ConstraintErrors errors_at_start(const Mechanism& mechanism) {
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(mechanism.q0()));
  kinematics.set_velocities(view(mechanism.u0()));
  return ConstraintObserver(mechanism).evaluate(0.0, view(mechanism.q0()), view(mechanism.u0()), kinematics);
}

// The closer stops at 1e-14 or where rounding of poses a few m from the origin ends its progress.
constexpr double kClosed = 1e-13;

TEST(initial_state, four_bar_closes_from_bad_guesses) {
  for (const double crank : {0.3, 1.0, 2.0, 4.0}) {
    for (const double coupler : {-1.0, 0.2, 1.5}) {
      const Mechanism mechanism(four_bar(3.0, {crank, coupler, -1.5}));
      EXPECT_LT(errors_at_start(mechanism).position, kClosed) << crank << " " << coupler;
    }
  }
}

TEST(initial_state, only_marked_joints_are_changed) {
  MechanismDescription description = four_bar(3.0, {0.5 * std::numbers::pi, -0.7, -1.0});
  description.joints[0].v0 = {2.0};
  description.joints[1].dependent = true;
  description.joints[2].dependent = true;
  const Mechanism mechanism(description);
  EXPECT_EQ(mechanism.q0()[0], 0.5 * std::numbers::pi);
  EXPECT_EQ(mechanism.u0()[0], 2.0);
  EXPECT_LT(errors_at_start(mechanism).position, kClosed);
  // Velocities up to 2 rad/s on 3 m.
  EXPECT_LT(errors_at_start(mechanism).velocity, 10.0 * kClosed);
  // By hand: crank end (0, 1), rocker end (3, 0), both bars 3 m, elbow up: they make an isosceles triangle on sqrt(10).
  const double base = std::sqrt(10.0);
  const double direction = std::atan2(-1.0, 3.0);
  const double half = std::acos(0.5 * base / 3.0);
  const double coupler = direction + half - 0.5 * std::numbers::pi;
  // The closed angles depend on the positions with factors of order one.
  EXPECT_NEAR(mechanism.q0()[1], coupler, 1e-12);
  EXPECT_NEAR(mechanism.q0()[2], -2.0 * half, 1e-12);
}

TEST(initial_state, velocities_change_as_little_as_possible) {
  MechanismDescription description = four_bar(3.0, {0.5 * std::numbers::pi, -0.7, -1.0});
  const Mechanism closed(description);
  description = closed.description();
  const Eigen::Vector3d given(1.0, -2.0, 0.5);
  for (std::size_t i = 0; i < 3; ++i) {
    description.joints[i].v0 = {given[static_cast<int>(i)]};
  }
  const Mechanism mechanism(description);
  EXPECT_LT(errors_at_start(mechanism).velocity, 10.0 * kClosed);
  // Minimum norm: the change is orthogonal to every consistent velocity (the linkage has one).
  EXPECT_GT(mechanism.u0().norm(), 0.1);
  EXPECT_NEAR((mechanism.u0() - given).dot(mechanism.u0()), 0.0, 1e-12);
}

TEST(initial_state, coordinates_of_the_cut_are_those_of_the_closed_loop) {
  MechanismDescription description = four_bar(3.0, {0.5 * std::numbers::pi, -0.7, -1.0});
  description.joints[3].q0 = {4.0 * std::numbers::pi};
  const Mechanism mechanism(description);
  // Planar angles add up; the guess chooses the turn.
  const double sum = mechanism.q0().sum();
  const double turns = (mechanism.cut_joints()[0].q0[0] - sum) / (2.0 * std::numbers::pi);
  EXPECT_NEAR(turns, std::round(turns), 1e-12);
  EXPECT_LE(std::abs(mechanism.cut_joints()[0].q0[0] - 4.0 * std::numbers::pi), std::numbers::pi);
}

TEST(initial_state, a_loop_that_cannot_close_names_its_joint) {
  try {
    // The bars reach 7 m, the ground pivot is 8 m away.
    const Mechanism mechanism(four_bar(8.0, {0.3, -0.2, 0.1}));
    FAIL() << "closed an open loop";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("'closure'"), std::string::npos) << error.what();
    EXPECT_EQ(error.where().section, "joints");
    EXPECT_EQ(error.where().index, 3U);
    EXPECT_EQ(error.where().key, "q0");
  }
}

TEST(initial_state, given_velocities_that_tear_a_loop_apart_name_its_joint) {
  MechanismDescription description = four_bar(3.0, {0.5 * std::numbers::pi, -0.7, -1.0});
  description = Mechanism(description).description();
  for (std::size_t i = 0; i < 3; ++i) {
    description.joints[i].v0 = {1.0};
  }
  // One joint cannot make up for the two others.
  description.joints[2].dependent = true;
  try {
    const Mechanism mechanism(description);
    FAIL() << "accepted inconsistent velocities";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("'closure'"), std::string::npos) << error.what();
    EXPECT_EQ(error.where().key, "v0");
  }
}

TEST(initial_state, a_crank_follows_its_prescribed_motion) {
  MechanismDescription description = four_bar(3.0, {0.0, -0.7, -1.0});
  description.joints[0].motions = {{0, "1.2 + 3 * t", "3", "0"}};
  const Mechanism mechanism(description);
  EXPECT_NEAR(mechanism.q0()[0], 1.2, kClosed);
  EXPECT_NEAR(mechanism.u0()[0], 3.0, kClosed);
  EXPECT_LT(errors_at_start(mechanism).position, kClosed);
  EXPECT_LT(errors_at_start(mechanism).velocity, 10.0 * kClosed);
}

void expect_rebuilds_bit_for_bit(const Mechanism& mechanism, const std::string& what) {
  const Mechanism again(mechanism.description());
  EXPECT_EQ(again.q0(), mechanism.q0()) << what;
  EXPECT_EQ(again.u0(), mechanism.u0()) << what;
  for (std::size_t c = 0; c < mechanism.cut_joints().size(); ++c) {
    EXPECT_EQ(again.cut_joints()[c].q0, mechanism.cut_joints()[c].q0) << what;
  }
}

TEST(initial_state, rebuilding_changes_no_bit) {
  expect_rebuilds_bit_for_bit(Mechanism(four_bar(3.0, {1.0, 0.2, -1.5})), "four_bar");
  for (int seed = 0; seed < 100; ++seed) {
    for (const char* size : {"", ",bodies=20,cuts=6"}) {
      const std::string specification = "random_closed:seed=" + std::to_string(seed) + size;
      expect_rebuilds_bit_for_bit(make_mechanism(mechanism_registry(), specification), specification);
    }
  }
}

TEST(initial_state, rebuilding_a_large_mechanism_changes_no_bit) {
  // At 3 km, rounding of velocities is far above any fixed limit that suits a mechanism of 1 m.
  for (const double rate : {0.3, 1.0, 2.7, 7.1}) {
    MechanismDescription description = four_bar(3.0, {1.0, 0.2, -1.5});
    for (JointDescription& joint : description.joints) {
      joint.frame_a.position *= 1000.0;
      joint.frame_b.position *= 1000.0;
    }
    description.joints[0].v0 = {rate};
    expect_rebuilds_bit_for_bit(Mechanism(description), "rate " + std::to_string(rate));
  }
}

TEST(initial_state, rebuilding_a_reassembled_mechanism_changes_no_bit) {
  int reassembled = 0;
  for (int seed = 0; seed < 60; ++seed) {
    const std::string specification = "random_closed:seed=" + std::to_string(seed) + ",bodies=12,cuts=3";
    MechanismDescription description = make_mechanism(mechanism_registry(), specification).description();
    RandomSource random(seed);
    for (JointDescription& joint : description.joints) {
      for (std::size_t i = 0; has_coordinate_rates(joint.type) && !joint.cut && i < joint.q0.size(); ++i) {
        joint.q0[i] += random.uniform(-0.02, 0.02);
      }
    }
    try {
      const Mechanism mechanism(description);
      EXPECT_LT(errors_at_start(mechanism).position, kClosed) << specification;
      expect_rebuilds_bit_for_bit(mechanism, specification);
      ++reassembled;
    } catch (const ModelError&) {
      // A disturbed mechanism with redundant constraints need not close; most do.
      continue;
    }
  }
  EXPECT_GT(reassembled, 40);
}

TEST(initial_state, unconstrained_mechanisms_keep_their_state) {
  for (int seed = 0; seed < 20; ++seed) {
    const std::string specification = "random_tree:" + std::to_string(seed);
    const Mechanism mechanism = make_mechanism(mechanism_registry(), specification);
    expect_rebuilds_bit_for_bit(mechanism, specification);
  }
}

MechanismDescription driven_chain() {
  MechanismDescription description = make_mechanism(mechanism_registry(), "pendulum:3").description();
  description.joints[0].motions = {{0, "40 + 2 * t", "2", "0"}};
  description.joints[2].motions = {{0, "0.5 * sin(t)", "0.5 * cos(t)", "-0.5 * sin(t)"}};
  return description;
}

TEST(initial_state, without_loops_prescribed_joints_start_on_their_motions) {
  MechanismDescription description = driven_chain();
  description.joints[1].q0 = {0.7};
  description.joints[1].v0 = {-0.3};
  const Mechanism mechanism(description);
  EXPECT_EQ(mechanism.q0(), Eigen::Vector3d(40.0, 0.7, 0.0));
  EXPECT_EQ(mechanism.u0(), Eigen::Vector3d(2.0, -0.3, 0.5));
  expect_rebuilds_bit_for_bit(mechanism, "driven chain");
}

TEST(initial_state, without_loops_a_joint_that_may_not_change_is_named) {
  MechanismDescription description = driven_chain();
  description.joints[0].dependent = true;
  description.joints[2].v0 = {0.25};
  try {
    const Mechanism mechanism(description);
    FAIL() << "accepted a velocity that is not the motion's";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("v0 of joint 'joint3' differs by 0.25"), std::string::npos)
        << error.what();
    EXPECT_EQ(error.where().index, 2U);
    EXPECT_EQ(error.where().key, "v0");
  }
  description.joints[2].q0 = {0.125};
  try {
    const Mechanism mechanism(description);
    FAIL() << "accepted a position that is not the motion's";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("q0 of joint 'joint3' differs by 0.125"), std::string::npos)
        << error.what();
    EXPECT_EQ(error.where().key, "q0");
  }
}

TEST(initial_state, a_large_tree_takes_no_dense_matrix) {
  // One matrix of n x n numbers would be 80 GB.
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:100000");
  EXPECT_EQ(mechanism.u0().size(), 100'000);
  EXPECT_EQ(mechanism.find_body("body99999"), 99'998);
  EXPECT_EQ(mechanism.find_joint("joint100000")->index, 99'999);
  EXPECT_FALSE(mechanism.find_body("body100001").has_value());
}

}  // namespace
}  // namespace mbdbench
