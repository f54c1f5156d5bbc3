/// \file
/// Rods and points on lines and planes in every formulation that takes loops, against the same mechanism as a tree
/// whose links have no mass: other coordinates, other joints, no constraints.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "mechanisms/model/kinematics/observables.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/support/held_block.hpp"

namespace mbdbench {
namespace {

/// The motion of `carried_block` at its start, told of `held_block`.
MechanismDescription held_as_carried(JointType type) {
  const Mechanism carried(test::carried_block(type));
  Kinematics kinematics(carried);
  kinematics.set_positions(view(carried.q0()));
  kinematics.set_velocities(view(carried.u0()));
  const BodyKinematics& block = kinematics.body(*carried.find_body("block"));
  MechanismDescription held = test::held_block(type);
  const Eigen::Quaterniond e(block.rotation);
  const Vec3& origin = block.origin;
  const Vec6 velocity = block.velocity_at(origin);
  const Vec3 spin = block.rotation.transpose() * velocity.tail<3>();
  JointDescription& flight = held.joints[1];
  flight.q0 = {e.w(), e.x(), e.y(), e.z(), origin.x(), origin.y(), origin.z()};
  flight.v0 = {spin.x(), spin.y(), spin.z(), velocity[0], velocity[1], velocity[2]};
  flight.dependent = false;
  return held;
}

/// Accelerations of both markers at the start, by differences along the right-hand side.
Eigen::VectorXd marker_accelerations(Formulation& formulation) {
  const Mechanism& mechanism = formulation.mechanism();
  const test::Evaluation start = test::evaluate_at(formulation, 0.0, mechanism.q0(), mechanism.u0());
  EXPECT_TRUE(start.status.ok) << start.status.message();
  Kinematics kinematics(mechanism);
  return test::difference([&](double s) {
    std::vector<double> x = start.x;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += 0.01 * s * start.xdot[i];
    }
    Eigen::VectorXd q(mechanism.q_size());
    Eigen::VectorXd u(mechanism.u_size());
    EXPECT_TRUE(formulation.unpack(0.0, x, view(q), view(u)).ok);
    kinematics.set_positions(view(q));
    kinematics.set_velocities(view(u));
    Eigen::VectorXd velocities(6);
    velocities << marker_state(kinematics, 0).velocity, marker_state(kinematics, 1).velocity;
    return Eigen::VectorXd(velocities / 0.01);
  });
}

class CutOnlyForms : public testing::TestWithParam<JointType> {};

TEST_P(CutOnlyForms, move_like_links_without_mass) {
  const Mechanism carried(test::carried_block(GetParam()));
  const Mechanism held(held_as_carried(GetParam()));
  EXPECT_EQ(held.generic_rank().rank, held.constraint_size());
  EXPECT_EQ(held.u_size() - held.constraint_size(), carried.u_size());
  const Eigen::VectorXd expected = marker_accelerations(*test::make("dense", carried));
  EXPECT_GT(expected.norm(), 5.0);
  std::vector<std::pair<std::string, std::string>> taken;
  for (const FormulationEntry& entry : formulation_registry()) {
    if (!refusal_of(entry, held).empty()) {
      continue;
    }
    taken.emplace_back(entry.key, "");
    if (!test::bodies_as_leaves(entry.key).empty()) {
      taken.emplace_back(entry.key, test::bodies_as_leaves(entry.key));
    }
  }
  EXPECT_GE(taken.size(), 11U);  // all but trees alone, and what reduces free joints
  for (const auto& [key, options] : taken) {
    const auto formulation = test::make(key, held, options);
    // Differences resolve 1e-9 of functions of order one to a hundred.
    EXPECT_LT((marker_accelerations(*formulation) - expected).norm(), 1e-6 * expected.norm()) << key << ' ' << options;
  }
}

/// The wrench on the block is that of the ball joint at the end of the links, at the same point.
TEST_P(CutOnlyForms, hold_with_the_force_of_the_links) {
  const Mechanism carried(test::carried_block(GetParam()));
  const Mechanism held(held_as_carried(GetParam()));
  const auto wrench_on_block = [](const Mechanism& mechanism, const std::string& joint, const char* key) {
    const auto formulation = test::make(key, mechanism);
    const test::Evaluation start = test::evaluate_at(*formulation, 0.0, mechanism.q0(), mechanism.u0());
    Reactions reactions;
    EXPECT_TRUE(formulation->reactions(0.0, start.x, reactions).ok);
    const JointReference reference = *mechanism.find_joint(joint);
    return Vec6(
        (reference.cut ? reactions.cut_joints : reactions.tree_joints)[static_cast<std::size_t>(reference.index)]);
  };
  const Vec6 expected = wrench_on_block(carried, "ball", "dense");
  EXPECT_GT(expected.norm(), 1.0);
  for (const char* key : {"dense", "dense-momentum", "dca", "hdca", "bae-haug", "naudet", "naudet-acc"}) {
    EXPECT_LT((wrench_on_block(held, "hold", key) - expected).norm(), 1e-9 * expected.norm()) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(types, CutOnlyForms, testing::ValuesIn(kCutOnlyTypes),
                         [](const auto& of) { return std::string(to_string(of.param)); });

// A mechanism that is told in reverse: a rod from the block to the arm is the rod from the arm to the block.
TEST(cut_only_joints, a_rod_has_two_equal_ends) {
  MechanismDescription description = held_as_carried(JointType::distance);
  const Eigen::VectorXd expected = marker_accelerations(*test::make("dense", Mechanism(description)));
  JointDescription& rod = description.joints[2];
  std::swap(rod.a, rod.b);
  std::swap(rod.frame_a, rod.frame_b);
  const Mechanism reversed(description);
  for (const char* key : {"dense", "dca", "naudet-acc"}) {
    EXPECT_LT((marker_accelerations(*test::make(key, reversed)) - expected).norm(), 1e-8 * expected.norm()) << key;
  }
}

}  // namespace
}  // namespace mbdbench
