// hdca and dca with sub-trees of equal form as leaves: against the dense reference and the sequential recursions, in
// every instruction set of the machine; the same bits for any number of threads; what is refused and what fails.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "formulations/subtrees/block_sweeps.hpp"
#include "formulations/subtrees/subtree_solver.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/formulations/instruction_set_in_use.hpp"
#include "tests/support/allocation_guard.hpp"

namespace mbdbench {
namespace {

Mechanism catalogue(std::string_view key) {
  return make_mechanism(mechanism_registry(), key);
}

enum class Joints { revolute, all };

/// Copies of one random tree, each with its own masses and placement, and one link more that belongs to none. Springs
/// and dampers in joints. \param joints all: of the types that the tree has drawn, quaternions too
/// \param on_ground so many of them hang on the ground, the others on a turning hub
Mechanism random_copies(std::uint64_t seed, int copies, int bodies, Joints joints = Joints::revolute,
                        int on_ground = 0) {
  RandomSource random(static_cast<std::int64_t>(seed));
  MechanismDescription part =
      catalogue(fmt::format("random_tree:seed={},bodies={},branching=0.4,loads=0", seed, bodies)).description();
  MechanismDescription whole = catalogue("random_tree:seed=5,bodies=2,branching=0,loads=0").description();
  for (JointDescription& joint : whole.joints) {
    joint.type = JointType::revolute;
    joint.q0 = {0.3};
    joint.v0 = {0.7};
  }
  for (int copy = 0; copy < copies; ++copy) {
    for (BodyDescription body : part.bodies) {
      body.name += fmt::format("_{}", copy);
      body.mass *= random.uniform(0.5, 2.0);
      whole.bodies.push_back(body);
    }
    for (JointDescription joint : part.joints) {
      joint.name += fmt::format("_{}", copy);
      joint.b += fmt::format("_{}", copy);
      if (joint.a != kGround) {
        joint.a += fmt::format("_{}", copy);
      } else if (copy >= on_ground) {
        joint.a = whole.bodies.front().name;
      }
      if (joints == Joints::revolute) {
        joint.type = JointType::revolute;
        joint.q0 = {random.uniform(-3.0, 3.0)};
        joint.v0 = {random.uniform(-1.0, 1.0)};
      }
      whole.joints.push_back(joint);
      if (has_quaternion(joint.type) || joint.type == JointType::fixed) {
        continue;
      }
      JointSpringDescription spring;
      spring.name = "spring_" + joint.name;
      spring.joint = joint.name;
      spring.stiffness = random.uniform(0.0, 3.0);
      spring.damping = random.uniform(0.0, 1.0);
      whole.joint_springs.push_back(spring);
    }
  }
  return Mechanism(whole);
}

TEST(subtrees, every_row_stands_in_one_lane_or_in_the_trunk) {
  for (const char* key : {"balanced_tree:15", "balanced_tree:127", "balanced_tree:1023", "balanced_tree:40,branching=3",
                          "caterpillar:spine=9,legs=3", "star:19", "balanced_tree:2500", "quadruped",
                          "random_tree:seed=4,bodies=200,loads=0"}) {
    const Mechanism mechanism = catalogue(key);
    const SubtreePlan plan(mechanism);
    ASSERT_FALSE(plan.groups().empty()) << key;
    std::multiset<int> rows(plan.trunk().members.begin(), plan.trunk().members.end());
    for (const SubtreeGroup& group : plan.groups()) {
      rows.insert(group.form.members.begin(), group.form.members.end());
      EXPECT_EQ(group.ports.size() % SubtreePlan::kFewLanes, 0U) << key;
    }
    EXPECT_EQ(rows.size(), plan.tree().size()) << key;
    EXPECT_EQ(std::set<int>(rows.begin(), rows.end()).size(), plan.tree().size()) << key;
  }
  // Eight sub-trees of 15 links below the three upper levels; from 1000 links on two blocks at least. (Where a run of
  // the LinkTree ends depends on the places of the axes, so that not all of 63 links have the same form.)
  const Mechanism small = catalogue("balanced_tree:127");
  EXPECT_EQ(SubtreePlan(small).trunk().rows.size(), 7U);
  EXPECT_EQ(SubtreePlan(small).groups().size(), 1U);
  const Mechanism large = catalogue("balanced_tree:1023");
  EXPECT_LE(SubtreePlan(large).trunk().rows.size(), 31U);
  ASSERT_FALSE(SubtreePlan(large).groups().empty());
  EXPECT_GE(SubtreePlan(large).groups().front().ports.size(), 16U);
  // Four legs of three links on a free trunk, whose joint is one row.
  const SubtreePlan robot(catalogue("quadruped"));
  EXPECT_EQ(robot.trunk().rows.size(), 1U);
  ASSERT_EQ(robot.groups().size(), 1U);
  EXPECT_EQ(robot.groups().front().ports.size(), 4U);
}

TEST(subtrees, of_another_kind_of_joint_are_of_another_form) {
  MechanismDescription description = catalogue("star:8").description();
  const auto lanes = [&] {
    const Mechanism star(description);
    const SubtreePlan plan(star);
    return plan.groups().empty() ? std::size_t{0} : plan.groups().front().ports.size();
  };
  EXPECT_EQ(lanes(), 8U);
  int arms = 0;
  for (JointDescription& joint : description.joints) {
    if (joint.a != kGround && arms++ < 4) {
      joint.type = JointType::prismatic;
    }
  }
  EXPECT_EQ(lanes(), 4U);
}

TEST(subtrees, agree_with_the_dense_reference_in_every_instruction_set) {
  std::vector<Mechanism> mechanisms;
  for (const char* key : {"balanced_tree:15", "balanced_tree:127", "balanced_tree:40,branching=3", "star:19",
                          "caterpillar:spine=9,legs=3", "quadruped", "random_tree:seed=4,bodies=60,loads=0"}) {
    mechanisms.push_back(catalogue(key));
  }
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    mechanisms.push_back(random_copies(seed, seed == 4 ? 17 : 8, 1 + 2 * static_cast<int>(seed)));
  }
  // Groups of four, of eight, of both, and what is left over; some hang on the ground.
  const std::uint64_t first_seed = test::seed_of_run(411U);
  fmt::print("first seed {} (another one: MBDBENCH_SEED)\n", first_seed);
  std::uint64_t seed = first_seed;
  for (const int copies : {4, 5, 8, 14}) {
    for (const int bodies : {2, 5, 9}) {
      mechanisms.push_back(random_copies(seed++, copies, bodies, Joints::all));
      mechanisms.push_back(random_copies(seed++, copies, bodies, Joints::all, copies / 2));
    }
  }
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    const test::InstructionSetInUse in_use(set);
    for (const Mechanism& mechanism : mechanisms) {
      // Of rounding by n operations on numbers that cond(M) blows up, a tenth is met; a wrong term is of size 1e10.
      EXPECT_LT(test::share_of_rounding("dca", "leaf=subtree", mechanism), 1.0) << set.name << " " << mechanism.name();
      EXPECT_LT(test::share_of_rounding("hdca", "leaf=subtree", mechanism), 1.0) << set.name << " " << mechanism.name();
    }
  }
}

/// Nothing but equal trees on the ground: there is no trunk.
Mechanism copies_alone(int copies, JointType type) {
  MechanismDescription description;
  description.name = "copies alone";
  for (int copy = 0; copy < copies; ++copy) {
    const std::string number = std::to_string(copy);
    description.bodies.push_back({"first" + number, 1.0 + copy, Vec3(0.1, 0.2, 0.3), Vec3(0.2, 0.3, 0.4).asDiagonal()});
    description.bodies.push_back(
        {"second" + number, 2.0, Vec3(0.3, 0.0, 0.1 * copy), Vec3(0.1, 0.1, 0.1).asDiagonal()});
    JointDescription joint;
    joint.name = "root" + number;
    joint.type = type;
    joint.b = "first" + number;
    joint.axis = Vec3(0.3, 1.0, 0.2 * copy).normalized();
    if (type == JointType::free) {
      joint.q0 = {0.8, 0.6, 0.0, 0.0, 0.1, 0.2, 0.3};
      joint.v0 = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    } else {
      joint.q0 = {0.1 * copy};
      joint.v0 = {0.5};
    }
    description.joints.push_back(joint);
    joint.name = "elbow" + number;
    joint.type = JointType::revolute;
    joint.a = "first" + number;
    joint.b = "second" + number;
    joint.frame_a.position = Vec3(0.5, 0.1, 0.0);
    joint.q0 = {0.2};
    joint.v0 = {0.7 - 0.1 * copy};
    description.joints.push_back(joint);
  }
  return Mechanism(description);
}

TEST(subtrees, need_no_trunk) {
  for (const int copies : {4, 8, 12}) {
    for (const JointType type : {JointType::revolute, JointType::prismatic, JointType::free}) {
      const Mechanism mechanism = copies_alone(copies, type);
      EXPECT_TRUE(SubtreePlan(mechanism).trunk().rows.empty());
      EXPECT_LT(test::share_of_rounding("dca", "leaf=subtree", mechanism), 1.0) << copies;
      EXPECT_LT(test::share_of_rounding("hdca", "leaf=subtree", mechanism), 1.0) << copies;
    }
  }
}

/// Of four equal sub-trees half of a register of eight repeats the last one.
TEST(subtrees, of_groups_smaller_than_a_register_are_those_of_the_recursions) {
  const TreeSweeps eight_lanes = tree_sweeps::sweeps<kernels::Pack<8, 2>>();
  std::vector<Mechanism> mechanisms;
  mechanisms.push_back(catalogue("quadruped"));
  mechanisms.push_back(catalogue("humanoid"));
  mechanisms.push_back(copies_alone(4, JointType::free));
  for (const int copies : {4, 5, 13}) {
    mechanisms.push_back(random_copies(900U + static_cast<std::uint64_t>(copies), copies, 6, Joints::all, copies / 3));
  }
  for (const Mechanism& mechanism : mechanisms) {
    RandomSource random(3);
    const Eigen::VectorXd q = test::random_coordinates(mechanism, random);
    for (const StateKind kind : {StateKind::velocity, StateKind::momentum}) {
      const bool momenta = kind == StateKind::momentum;
      SubtreeSolver solver(mechanism, kind, Execution{}, eight_lanes);
      const auto reference = test::make(momenta ? "naudet" : "aba", mechanism);
      const test::Evaluation expected =
          test::evaluate_at(*reference, 0.1, q, Eigen::VectorXd::LinSpaced(mechanism.u_size(), -1.0, 1.5));
      ASSERT_TRUE(expected.status.ok);
      const auto q_size = static_cast<std::size_t>(mechanism.q_size());
      const std::span<const double> x = expected.x;
      std::vector<double> u(x.size() - q_size);
      std::vector<double> rates(u.size());
      const RhsStatus status = momenta ? solver.momenta(0.1, x.first(q_size), x.subspan(q_size), u, rates)
                                       : solver.accelerations(0.1, x.first(q_size), x.subspan(q_size), u, rates);
      ASSERT_TRUE(status.ok) << status.message();
      // Both are backward stable recursions in the same frames; a lane that reads another base is off by order one.
      EXPECT_LT(test::block_error(rates, std::span(expected.xdot).subspan(q_size)), 1e-10)
          << mechanism.name() << (momenta ? ", momenta" : "");
    }
  }
}

TEST(subtrees, large_trees_agree_with_the_sequential_recursions) {
  const Mechanism mechanism = catalogue("balanced_tree:1023");
  // cond(M) of a thousand links is not computed: both are backward stable recursions in the same frames.
  for (const auto& [key, other] : {std::pair("dca", "aba"), std::pair("hdca", "naudet")}) {
    const auto formulation = test::make(key, mechanism, "leaf=subtree");
    const auto reference = test::make(other, mechanism);
    std::vector<double> x(reference->state_size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = std::sin(1.0 + 0.7 * static_cast<double>(i));
    }
    x[3] = 1e6;  // beyond the polynomials of the kernels
    x[900] = -3e7;
    std::vector<double> expected(x.size());
    std::vector<double> found(x.size());
    ASSERT_TRUE(reference->rhs(0.0, x, expected).ok);
    ASSERT_TRUE(formulation->rhs(0.0, x, found).ok);
    // Ten levels of a tree whose masses repeat: errors of some hundred units in the last place.
    EXPECT_LT(test::block_error(found, expected), 1e-11) << key;
  }
}

TEST(subtrees, turn_by_any_angle) {
  const Mechanism mechanism = random_copies(31, 9, 6, Joints::all, 4);
  for (const auto& [key, other] : {std::pair("dca", "aba"), std::pair("hdca", "naudet")}) {
    const auto formulation = test::make(key, mechanism, "leaf=subtree");
    const auto reference = test::make(other, mechanism);
    std::vector<double> x(reference->state_size());
    ASSERT_TRUE(reference->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    int turned = 0;
    for (const Joint& joint : mechanism.tree_joints()) {
      if (joint.type == JointType::revolute || joint.type == JointType::universal) {
        x[static_cast<std::size_t>(joint.q_offset)] += 2e6 + 1e4 * ++turned;  // beyond the polynomials of the kernels
      }
    }
    ASSERT_GT(turned, 0);
    std::vector<double> expected(x.size());
    std::vector<double> found(x.size());
    ASSERT_TRUE(reference->rhs(0.0, x, expected).ok);
    ASSERT_TRUE(formulation->rhs(0.0, x, found).ok);
    EXPECT_LT(test::block_error(found, expected), 1e-10) << key;  // as above
  }
}

void expect_same_bits_and_no_allocation(const Mechanism& mechanism) {
  for (const char* key : {"dca", "hdca"}) {
    std::vector<double> expected;
    for (const int threads : {1, 2, 3, 16}) {
      const auto formulation = test::make(key, mechanism, fmt::format("leaf=subtree,threads={}", threads));
      std::vector<double> x(formulation->state_size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = std::cos(0.3 * static_cast<double>(i));
      }
      std::vector<double> xdot(x.size());
      ASSERT_TRUE(formulation->rhs(0.0, x, xdot).ok);
      const AllocationGuard guard;
      ASSERT_TRUE(formulation->rhs(0.0, x, xdot).ok);
      EXPECT_EQ(guard.count(), 0U);
      expected = expected.empty() ? xdot : expected;
      EXPECT_EQ(xdot, expected) << key << " " << threads;
    }
  }
}

TEST(subtrees, any_number_of_threads_gives_the_same_bits_and_nothing_is_allocated) {
  expect_same_bits_and_no_allocation(catalogue("balanced_tree:2047"));
  expect_same_bits_and_no_allocation(random_copies(7, 40, 6, Joints::all));
}

TEST(subtrees, what_cannot_be_treated_is_said) {
  const auto refusal = [](std::string_view key, std::string_view options) {
    const Mechanism mechanism = catalogue(key);
    try {
      test::make("hdca", mechanism, options);
      return std::string();
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_NE(refusal("pendulum:16", "leaf=subtree").find("no four of its sub-trees"), std::string::npos);
  EXPECT_NE(refusal("four_bar", "leaf=subtree").find("close no loops"), std::string::npos);
  EXPECT_NE(refusal("random_tree:seed=3,bodies=30,loads=0,screws=1", "leaf=subtree").find("have no screws so far"),
            std::string::npos);
  EXPECT_NE(refusal("balanced_tree:15", "leaf=subtree,subchains=8").find("leaf=subchain"), std::string::npos);
  EXPECT_EQ(refusal("quadruped", "subchains=16"), "");  // nobody has asked for sub-trees
  EXPECT_NE(refusal("balanced_tree:15", "leaf=body,threads=2").find("leaf=subtree may"), std::string::npos);
}

TEST(subtrees, failures_name_a_joint) {
  const Mechanism mechanism = catalogue("balanced_tree:127");
  for (const char* key : {"dca", "hdca"}) {
    const auto formulation = test::make(key, mechanism, "leaf=subtree");
    std::vector<double> xdot(formulation->state_size());
    for (const std::size_t component : {std::size_t{0}, std::size_t{126}, std::size_t{127}, std::size_t{253}}) {
      std::vector<double> x(formulation->state_size(), 0.1);
      x[component] = std::numeric_limits<double>::quiet_NaN();
      const RhsStatus status = formulation->rhs(0.0, x, xdot);
      EXPECT_FALSE(status.ok) << key << " " << component;
      EXPECT_FALSE(status.joint.empty());
    }
    std::vector<double> x(formulation->state_size(), 0.1);
    EXPECT_TRUE(formulation->rhs(0.0, x, xdot).ok) << "it goes on afterwards";
  }
}

}  // namespace
}  // namespace mbdbench
