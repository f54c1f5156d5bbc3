// Every formulation of the registry in joint coordinates against the dense reference of its kind: whole catalogue and
// 200 random trees.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/support/extent.hpp"
#include "tests/support/free_base.hpp"

namespace mbdbench {
namespace {

using test::block_error;
using test::evaluate_at;
using test::Evaluation;
using test::make;
using test::mass_condition;
using test::reference_of;

// Both sides solve with the mass matrix (n = u_size), so rounding may cost about n eps cond(M) on each; 1e-12 is the
// suite's aim for well-conditioned trees. The worst share of this limit is printed (0.3 when written); a wrong term
// gives 1e-3 or more.
double tolerance(const Mechanism& mechanism, double condition) {
  return std::max(1e-12, std::numeric_limits<double>::epsilon() * mechanism.u_size() * condition);
}

/// \returns the options to compare with: the default, and of what assembles also one body a leaf, as published.
std::vector<std::string_view> choices_of(const FormulationEntry& entry) {
  const bool assembles =
      std::any_of(entry.options.begin(), entry.options.end(), [](const ParameterSpecification& option) {
        const auto& choices = option.choices;
        return std::find(choices.begin(), choices.end(), "body") != choices.end() && option.name == "leaf";
      });
  return assembles ? std::vector<std::string_view>{"", "leaf=body"} : std::vector<std::string_view>{""};
}

struct WorstOfTrees {
  double error = 0.0;
  double share = 0.0;  // of the tolerance
  std::string where;
};

void compare(const FormulationEntry& entry, const Mechanism& mechanism, const std::string& label,
             const Eigen::VectorXd& q, const Eigen::VectorXd& u, WorstOfTrees& worst, std::string_view options = {}) {
  const auto& registry = formulation_registry();
  const auto formulation = make_formulation(registry, entry, mechanism, options);
  const auto reference = make(reference_of(entry), mechanism);
  const double t = 0.3;
  const Evaluation expected = evaluate_at(*reference, t, q, u);
  ASSERT_TRUE(expected.status.ok) << label << ": " << expected.status.message();
  Evaluation actual;
  actual.xdot.resize(formulation->state_size());
  actual.status = formulation->rhs(t, expected.x, actual.xdot);
  ASSERT_TRUE(actual.status.ok) << label << ": " << actual.status.message();

  Reactions expected_reactions;
  Reactions actual_reactions;
  ASSERT_TRUE(reference->reactions(t, expected.x, expected_reactions).ok);
  ASSERT_TRUE(formulation->reactions(t, expected.x, actual_reactions).ok);
  std::vector<double> a;
  std::vector<double> b;
  for (std::size_t k = 0; k < expected_reactions.tree_joints.size(); ++k) {
    a.insert(a.end(), actual_reactions.tree_joints[k].data(), actual_reactions.tree_joints[k].data() + 6);
    b.insert(b.end(), expected_reactions.tree_joints[k].data(), expected_reactions.tree_joints[k].data() + 6);
  }

  const auto split = static_cast<std::size_t>(mechanism.q_size());
  const std::array<std::pair<const char*, double>, 4> errors = {
      {{"q'", block_error(std::span(actual.xdot).first(split), std::span(expected.xdot).first(split))},
       {"rate", block_error(std::span(actual.xdot).subspan(split), std::span(expected.xdot).subspan(split))},
       {"pack",
        [&] {
          std::vector<double> x(formulation->state_size());
          EXPECT_TRUE(formulation->pack(t, view(q), view(u), x).ok);
          return block_error(x, expected.x);
        }()},
       {"reactions", block_error(a, b)}}};
  // Explicit inverses of 6 x 6 matrices, as printed, lose more than the condition of M.
  const double limit = (entry.key == "hdca-printed" ? 10.0 : 1.0) * tolerance(mechanism, mass_condition(mechanism, q));
  for (const auto& [block, error] : errors) {
    EXPECT_LE(error, limit) << entry.key << " on " << label << ", " << block;
    worst.error = std::max(worst.error, error);
    if (error / limit > worst.share) {
      worst.share = error / limit;
      worst.where = fmt::format("{} of {}", block, label);
    }
  }
}

void print(const FormulationEntry& entry, std::string_view what, const WorstOfTrees& worst) {
  fmt::print("{:16} {:24} worst relative error {:.1e}, {:.2f} of the tolerance ({})\n", entry.key, what, worst.error,
             worst.share, worst.where);
}

TEST(right_hand_side, catalogue) {
  for (const FormulationEntry& entry : formulation_registry()) {
    if (!test::in_joint_coordinates(entry)) {
      continue;  // augmented_lagrangian_test
    }
    WorstOfTrees worst;
    for (const MechanismEntry& mechanism_entry : mechanism_registry()) {
      const Mechanism mechanism = make_mechanism(mechanism_registry(), mechanism_entry.key);
      if (!entry.refusal(mechanism).empty() || mechanism.constrained()) {
        continue;
      }
      RandomSource random(7);
      const Eigen::VectorXd q = test::random_coordinates(mechanism, random);
      const Eigen::VectorXd u = test::random_vector(mechanism.u_size(), random);
      for (const std::string_view options : choices_of(entry)) {
        compare(entry, mechanism, std::string(mechanism_entry.key), mechanism.q0(), mechanism.u0(), worst, options);
        compare(entry, mechanism, std::string(mechanism_entry.key), q, u, worst, options);
      }
    }
    print(entry, "catalogue", worst);
  }
}

TEST(right_hand_side, two_hundred_random_trees_with_all_joint_types) {
  const std::uint64_t first_seed = test::seed_of_run(20150301U);
  fmt::print("seeds {}..{} (another first seed: MBDBENCH_SEED)\n", first_seed, first_seed + test::extent(200) - 1);
  std::array<int, kAllJointTypes.size()> coverage{};
  int prescribed = 0;
  std::vector<WorstOfTrees> worst(formulation_registry().size());
  for (std::uint64_t i = 0; i < test::extent(200); ++i) {
    // Sizes 1..30; every third tree has prescribed motions.
    const auto bodies = static_cast<int>(1 + (i * 7) % 30);
    const std::string key = fmt::format("random_tree:seed={},bodies={},motions={},screws={}", first_seed + i, bodies,
                                        i % 3 == 0 ? std::min(2, bodies - 1) : 0, i % 5 == 4 ? 1 : 0);
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    for (const Joint& joint : mechanism.tree_joints()) {
      ++coverage[static_cast<std::size_t>(joint.type)];
      prescribed += static_cast<int>(joint.motions.size());
    }
    for (std::size_t e = 0; e < formulation_registry().size(); ++e) {
      const FormulationEntry& entry = formulation_registry()[e];
      if (!test::takes_trees(entry, mechanism)) {
        continue;
      }
      ASSERT_EQ(entry.refusal(mechanism), "") << key;
      if (!test::in_joint_coordinates(entry)) {
        continue;
      }
      for (const std::string_view options : choices_of(entry)) {
        compare(entry, mechanism, key, mechanism.q0(), mechanism.u0(), worst[e], options);
      }
    }
  }
  for (std::size_t e = 0; e < worst.size(); ++e) {
    print(formulation_registry()[e], fmt::format("{} random trees", test::extent(200)), worst[e]);
  }
  fmt::print("coverage:");
  for (const JointType type : kAllJointTypes) {
    const int count = coverage[static_cast<std::size_t>(type)];
    fmt::print(" {} {},", to_string(type), count);
    EXPECT_GT(count, 0) << to_string(type);
  }
  fmt::print(" prescribed motions {}\n", prescribed);
  EXPECT_GT(prescribed, 0);
}

// Arms of different lengths are raked at different rounds, and no node but their hub closes their joints.
TEST(right_hand_side, three_hundred_free_bases_with_trees_and_arms) {
  const std::uint64_t first_seed = test::seed_of_run(20170501U);
  fmt::print("seeds {}..{} (another first seed: MBDBENCH_SEED)\n", first_seed, first_seed + test::extent(300) - 1);
  std::vector<WorstOfTrees> worst(formulation_registry().size());
  for (std::uint64_t i = 0; i < test::extent(300); ++i) {
    RandomSource random(static_cast<std::int64_t>(first_seed + i));
    const Mechanism mechanism(i % 2 == 0 ? test::draw_free_base(random) : test::draw_free_star(random));
    for (std::size_t e = 0; e < formulation_registry().size(); ++e) {
      const FormulationEntry& entry = formulation_registry()[e];
      if (test::takes_trees(entry, mechanism) && test::in_joint_coordinates(entry)) {
        for (const std::string_view options : choices_of(entry)) {
          compare(entry, mechanism, fmt::format("free base of seed {}", first_seed + i), mechanism.q0(), mechanism.u0(),
                  worst[e], options);
        }
      }
    }
  }
  for (std::size_t e = 0; e < worst.size(); ++e) {
    print(formulation_registry()[e], fmt::format("{} free bases", test::extent(300)), worst[e]);
  }
}

TEST(right_hand_side, ground_closed_at_the_leaf_gives_the_same) {
  for (const std::string_view key : {"hdca", "dca"}) {
    const FormulationEntry& entry = *find_formulation(formulation_registry(), key);
    WorstOfTrees worst;
    for (const char* name : {"pendulum:30", "pendulum_xyz:30", "balanced_tree:30", "random_tree:seed=11,bodies=30"}) {
      const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
      RandomSource random(3);
      compare(entry, mechanism, name, mechanism.q0(), test::random_vector(mechanism.u_size(), random), worst,
              "ground=leaf");
    }
    print(entry, "ground=leaf", worst);
  }
}

TEST(right_hand_side, stars_of_any_width_assemble) {
  // One hub with all other bodies on it: what does not fit into a leaf is raked.
  for (const std::string_view key : {"hdca", "dca"}) {
    const FormulationEntry& entry = *find_formulation(formulation_registry(), key);
    WorstOfTrees worst;
    for (int branching = 55; branching <= 75; ++branching) {
      const std::string name = fmt::format("balanced_tree:bodies={},branching={}", branching + 1, branching);
      const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
      RandomSource random(5);
      compare(entry, mechanism, name, mechanism.q0(), test::random_vector(mechanism.u_size(), random), worst,
              "leaf=body");
    }
    const char* large = "balanced_tree:bodies=256,branching=255";
    const Mechanism mechanism = make_mechanism(mechanism_registry(), large);
    compare(entry, mechanism, large, mechanism.q0(), mechanism.u0(), worst, "leaf=body");
    print(entry, "stars of 56 to 256", worst);
  }
}

TEST(right_hand_side, a_mesh_that_would_not_fit_in_memory_is_refused_with_its_figures) {
  // 400 pairs of bodies, each a loop through one hub: nothing to rake.
  MechanismDescription description;
  description.name = "flower";
  description.bodies.push_back({"hub", 1.0, Vec3::Zero(), Mat3::Identity()});
  description.joints.push_back({});
  description.joints.back().name = "base";
  description.joints.back().b = "hub";
  const auto connect = [&](const std::string& a, const std::string& b, bool cut) {
    JointDescription joint;
    joint.name = a + "_" + b;
    joint.a = a;
    joint.b = b;
    joint.cut = cut;
    description.joints.push_back(joint);
  };
  for (int k = 0; k < 400; ++k) {
    const std::string left = fmt::format("left{}", k);
    const std::string right = fmt::format("right{}", k);
    description.bodies.push_back({left, 1.0, Vec3::Zero(), Mat3::Identity()});
    description.bodies.push_back({right, 1.0, Vec3::Zero(), Mat3::Identity()});
    connect("hub", left, false);
    connect("hub", right, false);
    connect(left, right, true);
  }
  const Mechanism mechanism(description);
  try {
    static_cast<void>(make("dca", mechanism, "leaf=body"));
    FAIL() << "must be refused";
  } catch (const ModelError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("'hub' carries 801 joints"), std::string::npos) << text;
    EXPECT_NE(text.find("GB"), std::string::npos) << text;
    EXPECT_NE(text.find("400 loops"), std::string::npos) << text;
  }
}

TEST(right_hand_side, a_state_that_is_not_a_number_is_reported) {
  for (const char* name : {"pendulum:4", "random_tree:seed=3,bodies=6", "random_closed:seed=3,bodies=8,cuts=1"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    for (const FormulationEntry& entry : formulation_registry()) {
      if (!entry.refusal(mechanism).empty()) {
        continue;
      }
      const auto formulation = make(entry.key, mechanism);
      Evaluation state = evaluate_at(*formulation, 0.0, mechanism.q0(), mechanism.u0());
      ASSERT_TRUE(state.status.ok);
      const std::size_t coordinates = std::min(state.x.size(), static_cast<std::size_t>(mechanism.q_size()));
      std::fill_n(state.x.begin(), coordinates, std::numeric_limits<double>::quiet_NaN());
      const RhsStatus status = formulation->rhs(0.0, state.x, state.xdot);
      EXPECT_FALSE(status.ok) << entry.key << " on " << name;
      EXPECT_FALSE(status.message().empty());
    }
  }
}

}  // namespace
}  // namespace mbdbench
