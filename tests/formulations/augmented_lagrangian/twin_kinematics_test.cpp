// Kinematics and right sides of twins, a sub-tree a lane (absolute/twin_kinematics.hpp), against AssemblyEngine, for
// which all bodies and joints are placed one after another, on every instruction set.
#include "formulations/augmented_lagrangian/absolute/twin_kinematics.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "formulations/augmented_lagrangian/augmented_lagrangian.hpp"
#include "formulations/execution/instruction_set.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

constexpr double kTwinInstant = 0.2;

/// Eight arms whose joints are of all types that have rows on axes and angles alone; nothing else of them is alike.
/// \param last type of the outermost joint
Mechanism arms(RandomSource& random, JointType last) {
  const std::vector<JointType> types = {
      JointType::spherical, JointType::universal, JointType::prismatic, JointType::cylindrical,
      JointType::planar,    JointType::fixed,     JointType::revolute,  last};
  MechanismDescription description;
  description.name = "arms";
  for (int arm = 0; arm < 8; ++arm) {
    std::string inboard = kGround;
    for (std::size_t k = 0; k < types.size(); ++k) {
      BodyDescription body;
      body.name = fmt::format("body{}_{}", arm, k);
      body.mass = random.uniform(0.5, 2.0);
      body.com = test::random_vector(3, random);
      const Eigen::Matrix3d root = test::random_matrix(random, 3, 3);
      body.inertia = Mat3::Identity() + 0.1 * root * root.transpose();
      JointDescription joint;
      joint.name = fmt::format("joint{}_{}", arm, k);
      joint.type = types[k];
      joint.a = inboard;
      joint.b = body.name;
      draw_geometry(random, joint);
      JointDescription other;
      draw_geometry(random, other);
      joint.frame_b = other.frame_a;
      joint.pitch = joint.type == JointType::screw ? 0.2 : 0.0;
      inboard = body.name;
      description.bodies.push_back(body);
      description.joints.push_back(joint);
    }
  }
  return Mechanism(description);
}

/// A state near the start, in which all joints are open and no quaternion has length one.
std::vector<double> open_state(const Mechanism& mechanism, AugmentedLagrangianFormulation& formulation,
                               RandomSource& random) {
  std::vector<double> x(formulation.state_size());
  formulation.pack(kTwinInstant, view(mechanism.q0()), view(mechanism.u0()), x);
  for (double& number : x) {
    number += random.uniform(-0.05, 0.05);
  }
  return x;
}

/// \param packed as in dual_assembly_test: conjugate residuals after the fourth pass are the engine's
AugmentedOptions options_for(bool packed, GroundClosure ground, const InstructionSet& set) {
  AugmentedOptions options;
  options.ground = ground;
  options.omega = 3.0;
  options.mu = 0.7;
  options.most_iterations = 4;
  options.conjugate = !packed;
  options.execution = {2, nullptr, set};
  return options;
}

void expect_rates_of_the_engine(const Mechanism& mechanism, const std::string& what, RandomSource& random) {
  for (const GroundClosure ground : {GroundClosure::leaf, GroundClosure::root}) {
    AugmentedLagrangianFormulation one_by_one(mechanism, options_for(false, ground, best_instruction_set()));
    const std::vector<double> x = open_state(mechanism, one_by_one, random);
    std::vector<double> expected(x.size());
    ASSERT_TRUE(one_by_one.rhs(kTwinInstant, x, expected).ok) << what;
    const Eigen::Map<const Eigen::VectorXd> all(expected.data(), static_cast<Eigen::Index>(expected.size()));
    for (const InstructionSet& set : instruction_sets()) {
      if (!set.available) {
        continue;
      }
      AugmentedLagrangianFormulation in_lanes(mechanism, options_for(true, ground, set));
      std::vector<double> found(x.size());
      for (int time = 0; time < 2; ++time) {  // nothing is left of the first one
        ASSERT_TRUE(in_lanes.rhs(kTwinInstant, x, found).ok) << what;
        const Eigen::Map<const Eigen::VectorXd> own(found.data(), all.size());
        // As in dual_assembly_test: the conditions are below 1e5, and a wrong entry gives 1e-3 or more.
        EXPECT_LT((own - all).lpNorm<Eigen::Infinity>(), 1e-9 * all.lpNorm<Eigen::Infinity>()) << what << set.name;
      }
    }
  }
}

TEST(twin_kinematics, rates_are_those_of_bodies_one_after_another) {
  const std::uint64_t seed = test::seed_of_run(6300U);
  SCOPED_TRACE(fmt::format("seed {} (another one: MBDBENCH_SEED)", seed));
  RandomSource random(static_cast<std::int64_t>(seed));
  for (const std::string key : {"loop:129", "ladder:40", "rings:12", "balanced_tree:100", "pendulum_xyz:64"}) {
    expect_rates_of_the_engine(make_mechanism(mechanism_registry(), key), key, random);
  }
  expect_rates_of_the_engine(arms(random, JointType::revolute), "arms", random);
  expect_rates_of_the_engine(arms(random, JointType::screw), "arms with screws", random);
}

/// \returns the bodies that go side by side.
int bodies_in_lanes(const Mechanism& mechanism) {
  AugmentedSystem system(mechanism, options_for(true, GroundClosure::root, best_instruction_set()), nullptr);
  int count = 0;
  for (std::size_t body = 0; body < mechanism.bodies().size(); ++body) {
    count += system.is_twin(body) ? 1 : 0;
  }
  return count;
}

TEST(twin_kinematics, has_what_is_regular_but_no_screws) {
  const std::uint64_t seed = test::seed_of_run(6400U);
  SCOPED_TRACE(fmt::format("seed {} (another one: MBDBENCH_SEED)", seed));
  RandomSource random(static_cast<std::int64_t>(seed));
  EXPECT_EQ(bodies_in_lanes(arms(random, JointType::revolute)), 64);
  EXPECT_EQ(bodies_in_lanes(arms(random, JointType::screw)), 0);
  EXPECT_GE(bodies_in_lanes(make_mechanism(mechanism_registry(), "loop:257")), 240);
  EXPECT_GE(bodies_in_lanes(make_mechanism(mechanism_registry(), "balanced_tree:255")), 200);
  EXPECT_GE(bodies_in_lanes(make_mechanism(mechanism_registry(), "ladder:127")), 90);
  EXPECT_EQ(bodies_in_lanes(make_mechanism(mechanism_registry(), "double_loop")), 0);
}

}  // namespace
}  // namespace mbdbench
