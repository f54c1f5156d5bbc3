/// \file
/// The catalogue: keys and their errors, the pendulum's numbers, coverage and reproducibility of the random generators.
#include "mechanisms/catalogue/catalogue.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "mechanisms/model/jacobians.hpp"

namespace mbdbench {
namespace {

std::span<const double> view(const Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

Mechanism make(std::string_view specification) {
  return make_mechanism(mechanism_registry(), specification);
}

std::string key_error(std::string_view specification) {
  try {
    make(specification);
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

/// Everything that a formulation could read, for bitwise comparison.
std::vector<double> all_numbers(const Mechanism& mechanism) {
  std::vector<double> numbers(mechanism.q0().begin(), mechanism.q0().end());
  const auto append = [&](const auto& matrix) {
    numbers.insert(numbers.end(), matrix.data(), matrix.data() + matrix.size());
  };
  append(mechanism.u0());
  append(mechanism.gravity());
  for (const Body& body : mechanism.bodies()) {
    numbers.push_back(body.mass);
    append(body.com);
    append(body.inertia);
  }
  for (const auto joints : {mechanism.tree_joints(), mechanism.cut_joints()}) {
    for (const Joint& joint : joints) {
      numbers.push_back(joint.a);
      numbers.push_back(joint.b);
      numbers.insert(numbers.end(), joint.q0.begin(), joint.q0.end());
      append(joint.position_a);
      append(joint.position_b);
      append(joint.rotation_a);
      append(joint.rotation_b);
      append(joint.axis);
      append(joint.axis2);
    }
  }
  for (const PointSpringDescription& spring : mechanism.description().point_springs) {
    append(spring.point1);
    append(spring.point2);
    numbers.insert(numbers.end(), {spring.stiffness, spring.damping, spring.rest});
  }
  return numbers;
}

TEST(catalogue, every_entry_builds_with_its_defaults) {
  for (const MechanismEntry& entry : mechanism_registry()) {
    SCOPED_TRACE(entry.key);
    const Mechanism mechanism = make(entry.key);
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
  EXPECT_EQ(make("pendulum:16").name(), "pendulum");
  EXPECT_EQ(make("pendulum:bodies=3").name(), "pendulum:bodies=3");
  EXPECT_EQ(make("random_tree:7,bodies=5,branching=0.25").name(), "random_tree:seed=7,bodies=5,branching=0.25");
  EXPECT_EQ(make(make("random_tree:7,bodies=5").name()).name(), "random_tree:seed=7,bodies=5");
}

TEST(catalogue, key_errors_say_what_would_be_right) {
  EXPECT_TRUE(mentions(key_error("pendulm"), {"pendulm", "pendulum", "random_closed"}));
  EXPECT_TRUE(mentions(key_error(""), {"pendulum"}));
  EXPECT_TRUE(mentions(key_error("pendulum:n=3"), {"'n'", "bodies", "an integer from 1 to 1000000", "16"}));
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
  const Mechanism mechanism = make("pendulum");
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
  const Mechanism mechanism = make("pendulum:3");
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
  const Mechanism yz = make("pendulum_yz:5,angle=0.2");
  const Mechanism xyz = make("pendulum_xyz:5,angle=0.2");
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
  const Mechanism mechanism = make("balanced_tree:bodies=13,branching=3");
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
  const Mechanism mechanism = make("caterpillar:3,legs=4");
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

TEST(random_tree, joint_types_all_occur) {
  std::map<std::string_view, int> count;
  std::map<std::string_view, int> inner;
  for (int seed = 0; seed < 100; ++seed) {
    const Mechanism mechanism = make("random_tree:" + std::to_string(seed));
    EXPECT_GT(mechanism.u_size(), 0) << "seed " << seed;
    EXPECT_FALSE(mechanism.constrained());
    for (const Joint& joint : mechanism.tree_joints()) {
      ++count[to_string(joint.type)];
      inner[to_string(joint.type)] += joint.a >= 0 ? 1 : 0;
    }
  }
  for (const JointType type : kAllJointTypes) {
    std::cout << "tree joints: " << to_string(type) << " " << count[to_string(type)] << ", not on the ground "
              << inner[to_string(type)] << "\n";
    EXPECT_GT(inner[to_string(type)], 0) << to_string(type);
  }
}

TEST(random_tree, bodies_are_physical) {
  for (int seed = 0; seed < 20; ++seed) {
    const Mechanism mechanism = make("random_tree:" + std::to_string(seed));
    for (const Body& body : mechanism.bodies()) {
      const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(body.inertia).eigenvalues();
      EXPECT_GT(moments[0], 0.0) << "seed " << seed;
      EXPECT_GT(moments[0] + moments[1], moments[2]) << "seed " << seed;
    }
  }
}

TEST(random_tree, prescribes_as_many_motions_as_asked) {
  for (int seed = 0; seed < 20; ++seed) {
    const Mechanism mechanism = make("random_tree:seed=" + std::to_string(seed) + ",motions=3");
    EXPECT_EQ(mechanism.constraint_size(), 3) << "seed " << seed;
    EXPECT_TRUE(mechanism.rheonomic());
    EXPECT_GT(mechanism.u_size(), 3) << "seed " << seed;
    // The drawn state follows the motion, so building changes nothing.
    EXPECT_EQ(mechanism.u0(), Mechanism(mechanism.description()).u0()) << "seed " << seed;
  }
}

TEST(random_tree, loads_of_every_kind_occur_and_can_be_left_out) {
  std::map<std::size_t, int> laws;
  std::size_t springs = 0;
  std::size_t point_springs = 0;
  std::size_t body_loads = 0;
  for (int seed = 0; seed < 50; ++seed) {
    const Mechanism mechanism = make("random_tree:" + std::to_string(seed));
    for (const JointLoadDescription& load : mechanism.description().joint_loads) {
      ++laws[load.law.index()];
    }
    springs += mechanism.description().joint_springs.size();
    point_springs += mechanism.description().point_springs.size();
    body_loads += mechanism.description().body_loads.size();
  }
  EXPECT_EQ(laws.size(), std::variant_size_v<Law>);
  EXPECT_GT(springs, 0U);
  EXPECT_GT(point_springs, 0U);
  EXPECT_GT(body_loads, 0U);
  const Mechanism bare = make("random_tree:seed=3,loads=0");
  EXPECT_TRUE(bare.description().joint_loads.empty());
  EXPECT_TRUE(bare.description().body_loads.empty());
  EXPECT_TRUE(bare.description().joint_springs.empty());
  EXPECT_TRUE(bare.description().point_springs.empty());
}

TEST(random_closed, cut_types_all_occur_and_all_can_move) {
  std::map<std::string_view, int> tree;
  std::map<std::string_view, int> cuts;
  int between_bodies = 0;
  int to_ground = 0;
  int redundant = 0;
  for (int seed = 0; seed < 100; ++seed) {
    const Mechanism mechanism = make("random_closed:" + std::to_string(seed));
    ASSERT_EQ(mechanism.cut_joints().size(), 2U);
    for (const Joint& joint : mechanism.tree_joints()) {
      ++tree[to_string(joint.type)];
    }
    for (const Joint& joint : mechanism.cut_joints()) {
      ++cuts[to_string(joint.type)];
      ++(joint.a >= 0 && joint.b >= 0 ? between_bodies : to_ground);
    }
    Kinematics kinematics(mechanism);
    kinematics.set_positions(view(mechanism.q0()));
    Jacobians jacobians(mechanism);
    jacobians.set_positions(kinematics);
    const Eigen::VectorXd values = Eigen::JacobiSVD<Eigen::MatrixXd>(jacobians.constraints()).singularValues();
    // The generator keeps singular values below 1e-3 of the largest away, so that rounding (1e-15) decides nothing
    // here.
    const auto rank = (values.array() > 1e-8).count();
    EXPECT_LT(rank, mechanism.u_size()) << "seed " << seed;
    redundant += rank < mechanism.constraint_size() ? 1 : 0;
  }
  for (const JointType type : kAllJointTypes) {
    const std::string_view name = to_string(type);
    std::cout << "random_closed: " << name << " in the tree " << tree[name] << ", as cut " << cuts[name] << "\n";
    EXPECT_GT(tree[name], 0) << name;
    EXPECT_EQ(cuts[name] > 0, type != JointType::free) << name;
  }
  std::cout << "cuts between bodies " << between_bodies << ", to the ground " << to_ground
            << ", mechanisms with redundant constraints " << redundant << " of 100\n";
  EXPECT_GT(between_bodies, 0);
  EXPECT_GT(to_ground, 0);
  EXPECT_GT(redundant, 0);
  EXPECT_LT(redundant, 100);
}

TEST(random_closed, loops_close_at_the_drawn_coordinates) {
  for (int seed = 0; seed < 50; ++seed) {
    const std::string specification = "random_closed:seed=" + std::to_string(seed) + ",bodies=12,cuts=4";
    const Mechanism mechanism = make(specification);
    const Mechanism tree = make("random_tree:seed=" + std::to_string(seed) + ",bodies=12,loads=0");
    // The tree is drawn first and closing a loop that is closed to rounding moves the joints by rounding only.
    EXPECT_LT((mechanism.q0() - tree.q0()).lpNorm<Eigen::Infinity>(), 1e-11) << specification;
  }
}

TEST(random_mechanisms, one_seed_gives_the_same_bits) {
  for (const char* key : {"random_tree:", "random_closed:"}) {
    for (int seed = 0; seed < 20; ++seed) {
      const std::string specification = key + std::to_string(seed);
      EXPECT_EQ(all_numbers(make(specification)), all_numbers(make(specification))) << specification;
    }
    EXPECT_NE(all_numbers(make(std::string(key) + "1")), all_numbers(make(std::string(key) + "2")));
  }
}

TEST(random_mechanisms, first_draws_are_those_of_the_standard_engine) {
  // The 10000th word of a default-seeded std::mt19937_64 is fixed by the standard; here the first words after seed 1,
  // mapped by hand: gravity's direction starts with them. A different mapping changes every published random mechanism.
  const Mechanism mechanism = make("random_tree:seed=1");
  std::mt19937_64 engine(1);
  const auto draw = [&] { return 2.0 * (static_cast<double>(engine() >> 11U) / 9007199254740992.0) - 1.0; };
  Vec3 direction;
  do {
    direction = Vec3(draw(), 0.0, 0.0);
    direction.y() = draw();
    direction.z() = draw();
  } while (direction.norm() >= 1.0 || direction.norm() <= 0.1);
  // Normalisation rounds once or twice.
  EXPECT_LT((mechanism.gravity() - 9.81 * direction.normalized()).norm(), 1e-14);
}

}  // namespace
}  // namespace mbdbench
