// hdca and dca with one body a leaf in lanes: random serial chains of every length against the dense reference and the
// general path, in every instruction set; several arms and blocks; threads; what goes on the general path; what fails.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "formulations/binary_tree/binary_lanes.hpp"
#include "formulations/binary_tree/node_tree.hpp"
#include "formulations/execution/instruction_set.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/formulations/instruction_set_in_use.hpp"
#include "tests/formulations/random_chain.hpp"
#include "tests/support/allocation_guard.hpp"

namespace mbdbench {
namespace {

using test::random_chain;

constexpr std::array<std::string_view, 2> kBoth = {"dca", "hdca"};

TEST(binary_tree, steps_make_children_before_parents_and_close_every_handle_once) {
  for (int leaves = 1; leaves <= 70; ++leaves) {
    std::vector<std::pair<int, int>> stack;
    std::vector<int> closed;
    std::size_t deepest = 0;
    for (const BinaryStep& step : binary_steps(leaves)) {
      if (step.middle < 0) {
        stack.emplace_back(step.first, step.last);
      } else {
        const auto outboard = stack.back();
        stack.pop_back();
        EXPECT_EQ(stack.back(), std::pair(step.first, step.middle));
        EXPECT_EQ(outboard, std::pair(step.middle, step.last));
        stack.back() = {step.first, step.last};
        closed.push_back(step.middle);
      }
      deepest = std::max(deepest, stack.size());
    }
    EXPECT_EQ(stack, (std::vector{std::pair(0, leaves)}));
    std::sort(closed.begin(), closed.end());
    EXPECT_EQ(std::unique(closed.begin(), closed.end()) - closed.begin(), leaves - 1);
    EXPECT_EQ(static_cast<int>(deepest), stack_depth(leaves)) << leaves;
  }
}

TEST(binary_tree, random_chains_of_every_length_agree_with_the_dense_reference) {
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) {
      continue;
    }
    const test::InstructionSetInUse in_use(set);
    int treated = 0;
    double worst = 0.0;
    for (int bodies = 1; bodies <= 70; ++bodies) {
      const auto seed = static_cast<std::uint64_t>(9300 + bodies);
      const Mechanism mechanism = random_chain(seed, bodies);
      treated += refuse_for_binary_tree(mechanism).empty() ? 1 : 0;
      for (const std::string_view key : kBoth) {
        const double share = test::share_of_rounding(key, "leaf=body", mechanism);
        worst = std::max(worst, share);
        // 1 is what rounding of M alone explains; both sides have it.
        EXPECT_LT(share, 2.0) << set.name << " " << key << " bodies=" << bodies << " seed=" << seed;
      }
    }
    EXPECT_GT(treated, 50) << set.name;
    RecordProperty(fmt::format("worst_{}", set.name), fmt::format("{:.2g}", worst));
  }
}

TEST(binary_tree, several_arms_blocks_springs_and_threads_agree_with_the_dense_reference) {
  MechanismDescription description = random_chain(9130, 60).description();
  for (const std::size_t start : {13U, 20U, 21U}) {
    description.joints[start].a = kGround;
  }
  for (const std::size_t k : {3U, 30U}) {
    description.joints[k].type = JointType::fixed;
    description.joints[k].q0.clear();
    description.joints[k].v0.clear();
  }
  const Mechanism bare(description);
  for (const std::size_t k : {0U, 9U, 13U, 40U, 59U}) {
    const std::string& name = description.joints[k].name;
    description.joint_springs.push_back({"spring_" + name, name, 0, 30.0, 4.0, 0.1});
  }
  const Mechanism sprung(description);
  ASSERT_EQ(refuse_for_binary_tree(sprung), "");
  for (const std::string_view key : kBoth) {
    for (const int count : {0, 8, 24, 64}) {
      for (const int threads : {1, 2}) {
        const std::string options = fmt::format("leaf=body,subchains={},threads={}", count, threads);
        EXPECT_LT(test::share_of_rounding(key, options, bare), 2.0) << key << " " << options;
        EXPECT_LT(test::share_of_rounding(key, options, sprung), 2.0) << key << " " << options;
      }
    }
  }
}

TEST(binary_tree, any_number_of_threads_gives_the_same_bits_and_nothing_is_allocated) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum_xyz:200");
  const Eigen::VectorXd u = Eigen::VectorXd::LinSpaced(mechanism.u_size(), -0.5, 0.5);
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(mechanism.q_size(), 0.3, 1.1);
  for (const std::string_view key : kBoth) {
    std::vector<double> first;
    for (const int threads : {1, 2, 3, 5}) {
      const auto formulation = test::make(key, mechanism, fmt::format("leaf=body,subchains=32,threads={}", threads));
      for (int repetition = 0; repetition < 20; ++repetition) {
        const test::Evaluation result = test::evaluate_at(*formulation, 0.0, q, u);
        ASSERT_TRUE(result.status.ok);
        first = first.empty() ? result.xdot : first;
        ASSERT_EQ(result.xdot, first) << key << " threads=" << threads << " repetition=" << repetition;
      }
      std::vector<double> x = test::evaluate_at(*formulation, 0.0, q, u).x;
      std::vector<double> xdot(x.size());
      const AllocationGuard guard;
      EXPECT_TRUE(formulation->rhs(0.0, x, xdot).ok);
      EXPECT_EQ(guard.count(), 0U) << key;
    }
  }
}

/// \returns whether dca and hdca take the general path, told by what only that one reports.
bool takes_general_path(const Mechanism& mechanism, std::string_view options) {
  bool general = true;
  for (const std::string_view key : kBoth) {
    try {
      test::make(key, mechanism, std::string(options) + (options.empty() ? "" : ",") + "leaf=body,threads=2");
      general = false;
    } catch (const ModelError&) {
    }
  }
  return general;
}

TEST(binary_tree, what_is_no_open_chain_of_hinges_takes_the_general_path) {
  const auto made = [](std::string_view key) { return make_mechanism(mechanism_registry(), key); };
  EXPECT_FALSE(takes_general_path(made("pendulum:16"), ""));
  EXPECT_TRUE(takes_general_path(made("pendulum:16"), "kernel=general"));
  EXPECT_TRUE(takes_general_path(made("pendulum:16"), "ground=leaf"));
  EXPECT_TRUE(takes_general_path(made("four_bar"), ""));
  EXPECT_TRUE(takes_general_path(made("balanced_tree:15"), ""));
  EXPECT_TRUE(takes_general_path(made("random_tree:seed=7,bodies=12"), ""));
  // A nearly massless bob on a lever: passes over the balance of bodies are the general path's.
  MechanismDescription bob = made("pendulum:3").description();
  bob.bodies[1].inertia *= 1e-7;
  EXPECT_TRUE(takes_general_path(Mechanism(bob), ""));
  for (const std::string_view key : kBoth) {
    EXPECT_LT(test::share_of_rounding(key, "leaf=body", Mechanism(bob)), 2.0) << key;
  }
}

TEST(binary_tree, a_torque_whose_formula_has_a_marker_takes_the_general_path) {
  // Lanes know no poses. Elsewhere it is refused.
  MechanismDescription description = make_mechanism(mechanism_registry(), "pendulum_xyz:12").description();
  description.markers.push_back({"hand", description.bodies.back().name, Vec3(0.0, 0.0, -1.0)});
  description.joint_loads.push_back({"feedback", description.joints[2].name, 0, ExpressionLaw{"5 * x_hand - vz_hand"}});
  const Mechanism mechanism(description);
  EXPECT_NE(refuse_for_binary_tree(mechanism).find("markers"), std::string::npos);
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(12, 0.1, 1.3);
  const Eigen::VectorXd u = Eigen::VectorXd::LinSpaced(12, -0.5, 0.7);
  for (const std::string_view key : kBoth) {
    const test::Evaluation actual = test::evaluate_at(*test::make(key, mechanism, "leaf=body"), 0.0, q, u);
    const test::Evaluation expected =
        test::evaluate_at(*test::make(key == "dca" ? "dense" : "dense-momentum", mechanism), 0.0, q, u);
    ASSERT_TRUE(actual.status.ok) << actual.status.message();
    EXPECT_LT(test::block_error(actual.xdot, expected.xdot), 1e-11) << key;  // rounding times the condition of M, 1e4
    EXPECT_THROW(test::make(key, mechanism, "leaf=subchain"), ModelError);
  }
}

TEST(binary_tree, states_that_are_no_numbers_fail_and_name_a_joint) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:50");
  for (const std::string_view key : kBoth) {
    const auto formulation = test::make(key, mechanism, "leaf=body");
    for (const std::size_t component : {0U, 7U, 49U, 50U, 70U, 99U}) {
      for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        std::vector<double> x(100, 0.1);
        std::vector<double> xdot(100);
        x[component] = value;
        const RhsStatus status = formulation->rhs(0.0, x, xdot);
        EXPECT_FALSE(status.ok) << key << " " << component;
        EXPECT_FALSE(status.joint.empty());
      }
    }
  }
}

TEST(binary_tree, a_chain_too_stiff_for_inverse_inertias_is_right_or_fails_and_says_what_takes_it) {
  // Out of its plane half of it gives way by 1e-14 of what a link does: the sign of a pivot is rounding, and another
  // instruction set or compiler may find it positive. The motion in the plane does not feel it.
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "pendulum:60000");
  const auto state = [&](std::string_view key, std::string_view options) {
    return test::evaluate_at(*test::make(key, mechanism, options), 0.0, mechanism.q0(), mechanism.u0());
  };
  const std::vector<double> expected = state("aba", "").xdot;
  const test::Evaluation result = state("dca", "");
  if (result.status.ok) {
    EXPECT_LT(test::block_error(result.xdot, expected), 1e-9);
  } else {
    EXPECT_NE(result.status.message().find("leaf=subchain"), std::string::npos) << result.status.message();
  }
  EXPECT_LT(test::block_error(state("dca", "leaf=subchain").xdot, expected), 1e-12);
}

}  // namespace
}  // namespace mbdbench
