// Exact derivatives of divide and conquer in lanes (leaf=subchain, subtree, body of chains, and auto where it takes
// those): against differences of each form's own right-hand sides, of trees against the sequential recursion, products
// against rows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/formulations/derivatives/loop_cases.hpp"
#include "tests/formulations/instruction_set_in_use.hpp"
#include "tests/formulations/random_chain.hpp"
#include "tests/support/added_loads.hpp"

namespace mbdbench {
namespace {

struct LaneCase {
  const char* mechanism;
  std::vector<const char*> leaves;
};

const std::vector<LaneCase>& lane_cases() {
  static const std::vector<LaneCase> kCases = {{"pendulum:bodies=24", {"leaf=auto", "leaf=subchain", "leaf=body"}},
                                               {"pendulum_xyz:bodies=20", {"leaf=auto", "leaf=subchain"}},
                                               {"star:arms=4", {"leaf=auto"}},
                                               {"balanced_tree:bodies=31", {"leaf=auto", "leaf=subtree"}}};
  return kCases;
}

TEST(lane_derivatives, agree_with_differences_and_with_the_sequential_recursion) {
  int treated = 0;
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    const test::InstructionSetInUse in_use(set);
    for (const LaneCase& of : lane_cases()) {
      RandomSource random(7);
      const Mechanism mechanism =
          test::with_joint_loads(test::unloaded(test::loop_named(of.mechanism).description()), random);
      for (const auto& [key, sequential] : {std::pair("dca", "aba"), {"hdca", "naudet"}}) {
        for (const char* const leaf : of.leaves) {
          const std::string what = fmt::format("{}[{}] on {}, {}", key, leaf, of.mechanism, set.name);
          const auto formulation = test::make(key, mechanism, leaf);
          ASSERT_EQ(formulation->without_jacobian(), "") << what;
          const std::vector<double> x = test::state_beside(*formulation, random, 0.3);
          const Eigen::MatrixXd rows = test::jacobian(*formulation, x);
          // The same function up to rounding, at conditions of up to some 1e4 of a chain.
          EXPECT_LT(test::derivative_error(mechanism, rows, test::jacobian(*test::make(sequential, mechanism), x)),
                    1e-10)
              << what;
          EXPECT_LT(test::error_beside_differences(key, mechanism, x, leaf, rows), 1e-6) << what;
          test::expect_products(*formulation, x, rows, random, what);
          ++treated;
        }
      }
    }
  }
  EXPECT_GE(treated, 16);
}

/// Loads that the linearised recursion of trees does not know are those of the passes of loops.
TEST(lane_derivatives, know_all_loads_in_joints) {
  RandomSource random(3);
  MechanismDescription description = test::loop_named("pendulum:bodies=9").description();
  description.joint_loads.push_back({"formula", description.joints[4].name, 0, ExpressionLaw{"2 * sin(q) - v^3"}});
  test::add_stops(random, description);
  test::add_friction(random, description);
  const Mechanism mechanism(description);
  for (const char* const key : {"dca", "hdca"}) {
    const auto formulation = test::make(key, mechanism, "leaf=subchain");
    const std::vector<double> x = test::state_beside(*formulation, random, 0.01);
    const Eigen::MatrixXd rows = test::jacobian(*formulation, x);
    EXPECT_LT(test::error_beside_differences(key, mechanism, x, "leaf=subchain", rows), 1e-6) << key;
    test::expect_products(*formulation, x, rows, random, key);
  }
}

/// A chain of random revolute joints whose last body a spherical or revolute joint holds, either way round: no row
/// repeats another one.
Mechanism random_ring(std::uint64_t seed, int bodies) {
  const Mechanism chain = test::random_chain(seed, bodies);
  MechanismDescription description = test::unloaded(chain.description());
  Kinematics kinematics(chain);
  kinematics.set_positions(view(chain.q0()));
  JointDescription cut;
  cut.name = "ring";
  cut.type = seed % 3 == 0 ? JointType::revolute : JointType::spherical;
  cut.cut = true;
  cut.b = description.bodies.back().name;
  cut.frame_b.position = Vec3(0.3, -0.2, 0.4);
  cut.frame_a.position = kinematics.world_point(chain.body_count() - 1, cut.frame_b.position);
  if (cut.type == JointType::revolute) {
    const Eigen::Quaterniond turned(kinematics.body(chain.body_count() - 1).rotation);
    cut.frame_a.rotation = {turned.w(), turned.x(), turned.y(), turned.z()};
  }
  if (seed % 2 == 0) {
    std::swap(cut.a, cut.b);
    std::swap(cut.frame_a, cut.frame_b);
  }
  description.joints.push_back(cut);
  return Mechanism(description);
}

TEST(lane_derivatives, of_loops_that_sub_chains_close_are_those_of_their_own_right_hand_sides) {
  const std::uint64_t first = test::seed_of_run(1);
  fmt::print("seeds {} to {}\n", first, first + 5);
  std::vector<Mechanism> loops = {test::loop_named("loop:joints=17"), test::loop_named("four_bar")};
  for (std::uint64_t seed = first; seed < first + 6; ++seed) {
    loops.push_back(random_ring(seed, 9 + static_cast<int>(seed % 12)));
  }
  RandomSource random(static_cast<std::int64_t>(first));
  for (const Mechanism& mechanism : loops) {
    ASSERT_FALSE(test::repeats_rows(mechanism)) << mechanism.name();
    for (const auto& [key, options] : {std::pair("dca", "leaf=subchain,projection=velocities"),
                                       {"hdca", "leaf=subchain"},
                                       {"hdca", "leaf=subchain,gauge=leak,leak=2"},
                                       {"hdca", "leaf=subchain,gauge=tangent"}}) {
      const std::string what = fmt::format("{}[{}] on {}", key, options, mechanism.name());
      const auto formulation = test::make(key, mechanism, options);
      ASSERT_EQ(formulation->without_jacobian(), "") << what;
      const std::vector<double> x = test::state_beside(*formulation, random, 0.02);
      const Eigen::MatrixXd rows = test::jacobian(*formulation, x);
      EXPECT_LT(test::error_beside_differences(key, mechanism, x, options, rows), 1e-6) << what;
      test::expect_products(*formulation, x, rows, random, what);
    }
  }
}

TEST(lane_derivatives, of_accelerations_of_loops_closed_as_published_are_refused) {
  const Mechanism mechanism = test::loop_named("loop:joints=17");
  EXPECT_NE(test::make("dca", mechanism, "leaf=subchain")->without_jacobian().find("projection=velocities"),
            std::string::npos);
  EXPECT_EQ(test::make("dca", mechanism)->without_jacobian(), "");
}

}  // namespace
}  // namespace mbdbench
