/// \file
/// Robots on a free base: many hinges on one body, limbs of several lengths, as URDF files have them. A fifth of them
/// was wrong by their own size in the forms that divide and conquer, whose assembly took handles in another order.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>

#include "formulations/registry.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

/// \returns a base with limbs of hinges and slides, which may branch themselves.
MechanismDescription floating_robot(RandomSource& random) {
  MechanismDescription robot;
  robot.name = "robot";
  const int count = 4 + static_cast<int>(random.index(13));
  for (int k = 0; k < count; ++k) {
    BodyDescription body;
    body.name = fmt::format("link{}", k);
    body.mass = random.uniform(0.5, 3.0);
    body.com = random.point(0.2);
    body.inertia =
        Vec3(random.uniform(0.02, 0.03), random.uniform(0.02, 0.03), random.uniform(0.02, 0.03)).asDiagonal();
    robot.bodies.push_back(body);
    JointDescription joint;
    joint.name = fmt::format("joint{}", k);
    joint.b = body.name;
    if (k == 0) {
      joint.type = JointType::free;
    } else {
      // Half of the links go on with the limb, the others begin a new one.
      const int parent = random.chance(0.5) ? k - 1 : static_cast<int>(random.index(static_cast<std::size_t>(k)));
      joint.a = robot.bodies[static_cast<std::size_t>(parent)].name;
      joint.type = random.chance(0.9) ? JointType::revolute : JointType::prismatic;
      joint.axis = random.point(1.0).normalized();
      joint.frame_a.position = random.point(0.3);
    }
    robot.joints.push_back(joint);
  }
  return robot;
}

TEST(floating_robots, every_formulation_agrees_with_the_reference) {
  const std::uint64_t seed = test::seed_of_run(83);
  RandomSource random(static_cast<std::int64_t>(seed));
  for (int robot = 0; robot < 40; ++robot) {
    MechanismDescription description = floating_robot(random);
    for (JointDescription& joint : description.joints) {
      joint.q0 = draw_coordinates(random, joint.type);
      joint.v0.resize(static_cast<std::size_t>(velocity_count(joint.type)));
      for (double& rate : joint.v0) {
        rate = random.uniform(-1.0, 1.0);
      }
    }
    const Mechanism mechanism(description);
    for (const FormulationEntry& entry : formulation_registry()) {
      if (!test::in_joint_coordinates(entry) || !refusal_of(entry, mechanism).empty()) {
        continue;
      }
      // In units of n eps cond(M); a wrong order of handles is 1e10 of them and more.
      EXPECT_LT(test::share_of_rounding(entry.key, "", mechanism), 1e3)
          << entry.key << ", MBDBENCH_SEED=" << seed << ", robot " << robot << " of " << description.bodies.size()
          << " links";
    }
  }
}

}  // namespace
}  // namespace mbdbench
