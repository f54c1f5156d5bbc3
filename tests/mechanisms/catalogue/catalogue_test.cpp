/// \file
/// The catalogue: keys and their errors, the numbers of the pendulum and the geometry of the trees.
#include "mechanisms/catalogue/catalogue.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "tests/support/catalogue_mechanism.hpp"

namespace mbdbench {
namespace {

std::string key_error(std::string_view specification) {
  try {
    test::from_catalogue(specification);
  } catch (const MechanismKeyError& error) {
    return error.what();
  }
  return "no error";
}

testing::AssertionResult mentions(const std::string& message, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (message.find(word) == std::string::npos) {
      return testing::AssertionFailure() << "\"" << message << "\" does not mention \"" << word << "\"";
    }
  }
  return testing::AssertionSuccess();
}

TEST(catalogue, every_entry_builds_with_its_defaults) {
  for (const MechanismEntry& entry : mechanism_registry()) {
    SCOPED_TRACE(entry.key);
    const Mechanism mechanism = test::from_catalogue(entry.key);
    EXPECT_EQ(mechanism.name(), entry.key);
    EXPECT_EQ(mechanism.description().source, entry.source);
    EXPECT_GT(mechanism.u_size(), 0);
    EXPECT_FALSE(entry.summary.empty());
    for (const ParameterSpecification& parameter : entry.parameters) {
      EXPECT_FALSE(parameter.help.empty()) << parameter.name;
    }
  }
}

TEST(catalogue, name_is_the_shortest_specification) {
  EXPECT_EQ(test::from_catalogue("pendulum:16").name(), "pendulum");
  EXPECT_EQ(test::from_catalogue("pendulum:bodies=3").name(), "pendulum:bodies=3");
  EXPECT_EQ(test::from_catalogue("random_tree:7,bodies=5,branching=0.25").name(),
            "random_tree:seed=7,bodies=5,branching=0.25");
  EXPECT_EQ(test::from_catalogue(test::from_catalogue("random_tree:7,bodies=5").name()).name(),
            "random_tree:seed=7,bodies=5");
}

TEST(catalogue, key_errors_say_what_would_be_right) {
  EXPECT_TRUE(mentions(key_error("pendulm"), {"pendulm", "pendulum", "bennett"}));
  EXPECT_TRUE(mentions(key_error(""), {"pendulum"}));
  EXPECT_TRUE(mentions(key_error("pendulum:n=3"), {"'n'", "bodies", "an integer from 1 to 4000000", "16"}));
  EXPECT_TRUE(mentions(key_error("pendulum:3.5"), {"bodies=3.5", "an integer", "bodies=16"}));
  EXPECT_TRUE(mentions(key_error("pendulum:0"), {"bodies=0", "from 1"}));
  EXPECT_TRUE(mentions(key_error("pendulum:bodies="), {"bodies=", "an integer"}));
  EXPECT_TRUE(mentions(key_error("pendulum:bodies=2,bodies=3"), {"twice"}));
  EXPECT_TRUE(mentions(key_error("random_tree:seed=7,12"), {"12", "name=value", "branching"}));
  EXPECT_TRUE(mentions(key_error("random_tree:seed=7,"), {"name=value"}));
  EXPECT_TRUE(mentions(key_error("random_tree:branching=nan"), {"branching=nan", "a number from 0 to 1"}));
  EXPECT_TRUE(mentions(key_error("random_tree:branching=1.5"), {"a number from 0 to 1"}));
  EXPECT_TRUE(mentions(key_error("random_tree:bodies=2,motions=2"), {"motions=2", "bodies=2"}));
}

TEST(pendulum, has_the_published_data) {
  const Mechanism mechanism = test::from_catalogue("pendulum");
  ASSERT_EQ(mechanism.body_count(), 16);
  EXPECT_EQ(mechanism.q_size(), 16);
  EXPECT_EQ(mechanism.u_size(), 16);
  EXPECT_FALSE(mechanism.constrained());
  EXPECT_EQ(mechanism.gravity(), Vec3(0.0, 0.0, -9.81));
  EXPECT_EQ(mechanism.q0(), Eigen::VectorXd::Zero(16));
  EXPECT_EQ(mechanism.u0(), Eigen::VectorXd::Zero(16));
  EXPECT_EQ(mechanism.bodies()[15].name, "body16");
  EXPECT_EQ(mechanism.tree_joints()[15].name, "joint16");
  for (const Body& body : mechanism.bodies()) {
    EXPECT_EQ(body.mass, 1.0);
    EXPECT_EQ(body.com, Vec3(0.5, 0.0, 0.0));
    EXPECT_EQ(body.inertia, Mat3::Identity());
  }
  ASSERT_EQ(mechanism.markers().size(), 1U);
  EXPECT_EQ(mechanism.markers()[0].name, "tip");
  EXPECT_EQ(mechanism.markers()[0].body, 15);
}

TEST(pendulum, starts_along_x_and_positive_angles_lower_it) {
  const Mechanism mechanism = test::from_catalogue("pendulum:3");
  const Marker& tip = mechanism.markers()[0];
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(mechanism.q0()));
  EXPECT_EQ(kinematics.world_point(tip.body, tip.point), Vec3(3.0, 0.0, 0.0));
  // Relative angles: the second and third link both turn with the second joint.
  kinematics.set_positions(std::vector<double>{0.0, 0.5, 0.0});
  const Vec3 expected(1.0 + 2.0 * std::cos(0.5), 0.0, -2.0 * std::sin(0.5));
  // Three rotations and sums of lengths up to 3: a few roundings.
  EXPECT_LT((kinematics.world_point(tip.body, tip.point) - expected).norm(), 2e-15);
}

TEST(pendulum, spatial_variants_turn_about_their_axes) {
  const auto axis = [](const Mechanism& mechanism, std::size_t joint) { return mechanism.tree_joints()[joint].axis; };
  const Mechanism yz = test::from_catalogue("pendulum_yz:5,angle=0.2");
  const Mechanism xyz = test::from_catalogue("pendulum_xyz:5,angle=0.2");
  EXPECT_EQ(axis(yz, 0), Vec3::UnitY());
  EXPECT_EQ(axis(yz, 1), Vec3::UnitZ());
  EXPECT_EQ(axis(yz, 4), Vec3::UnitY());
  EXPECT_EQ(axis(xyz, 0), Vec3::UnitX());
  EXPECT_EQ(axis(xyz, 1), Vec3::UnitY());
  EXPECT_EQ(axis(xyz, 2), Vec3::UnitZ());
  EXPECT_EQ(axis(xyz, 3), Vec3::UnitX());
  EXPECT_EQ(yz.q0(), Eigen::VectorXd::Constant(5, 0.2));
}

TEST(balanced_tree, parents_are_those_of_a_heap) {
  const Mechanism mechanism = test::from_catalogue("balanced_tree:bodies=13,branching=3");
  for (int i = 1; i < 13; ++i) {
    EXPECT_EQ(mechanism.parent(i), (i - 1) / 3);
  }
  // Siblings stand apart: their links end at different points.
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(mechanism.q0()));
  const Vec3 end = Vec3::UnitX();
  EXPECT_GT((kinematics.world_point(1, end) - kinematics.world_point(3, end)).norm(), 0.5);
}

TEST(caterpillar, legs_hang_on_the_spine) {
  const Mechanism mechanism = test::from_catalogue("caterpillar:3,legs=4");
  EXPECT_EQ(mechanism.body_count(), 15);
  Kinematics kinematics(mechanism);
  kinematics.set_positions(std::vector<double>(15, 0.0));
  const int spine2 = *mechanism.find_body("spine2");
  const int leg = *mechanism.find_body("leg2_3");
  EXPECT_EQ(mechanism.parent(leg), spine2);
  EXPECT_EQ(mechanism.parent(*mechanism.find_body("spine3")), spine2);
  // Leg 3 of 4 is turned by half a turn from +z; cosines and sines of quarter turns are right to rounding.
  EXPECT_LT((kinematics.world_point(leg, Vec3::UnitX()) - Vec3(2.0, 0.0, -1.0)).norm(), 1e-15);
}

}  // namespace
}  // namespace mbdbench
