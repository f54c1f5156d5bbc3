// Sections of a line (formulations/parts/part_sections.cpp): the motion of the recursion over one part, of world axes
// and of the dense reference, whatever crosses the seams; the same bits on any number of threads; the option leaf=N.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "formulations/parts/part_recursion.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/catalogue/trees/random_tree.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/support/allocation_guard.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

Mechanism built(const std::string& key) {
  return make_mechanism(mechanism_registry(), key);
}

std::size_t section_count(const Mechanism& mechanism, int bodies) {
  const LinkTree tree(mechanism, TreeLayout::branches, bodies);
  return tree.in_sections() ? tree.ranges().size() - 1 : 1;
}

/// A formulation and its reference, which shares no code with sections.
struct Compared {
  const char* key;
  const char* options;
  const char* reference;
  const char* reference_options;
};

constexpr std::array kCompared = {Compared{"bae-haug", "projection=on", "bae-haug", "projection=on,kernel=general"},
                                  Compared{"bae-haug", "alpha=3,beta=5", "bae-haug", "alpha=3,beta=5,kernel=general"},
                                  Compared{"dca", "projection=on", "bae-haug", "projection=on,kernel=general"},
                                  Compared{"hdca", "gauge=tangent", "hdca", "gauge=tangent,leaf=body"},
                                  Compared{"hdca", "gauge=none", "hdca", "gauge=none,leaf=body"},
                                  Compared{"hdca", "gauge=leak,feedback=5", "hdca", "gauge=leak,feedback=5,leaf=body"}};

/// \returns the larger error of x' in sections, near the start. \param drift of the coordinates
double error_in_sections(const Mechanism& mechanism, const Compared& how, int bodies, std::int64_t seed, double drift,
                         double stray) {
  RandomSource random(seed);
  const Eigen::VectorXd q =
      test::moved(mechanism, mechanism.q0(), test::random_vector(mechanism.u_size(), random), drift);
  const Eigen::VectorXd u = mechanism.u0() + stray * test::random_vector(mechanism.u_size(), random);
  const test::Evaluation sections =
      test::evaluate_at(*test::make(how.key, mechanism, fmt::format("{},leaf={}", how.options, bodies)), 0.3, q, u);
  const test::Evaluation reference =
      test::evaluate_at(*test::make(how.reference, mechanism, how.reference_options), 0.3, q, u);
  EXPECT_TRUE(sections.status.ok) << sections.status.message();
  EXPECT_TRUE(reference.status.ok) << reference.status.message();
  return test::block_error(sections.xdot, reference.xdot);
}

TEST(sections, of_open_trees_move_as_world_axes_say) {
  const auto first_seed = static_cast<std::int64_t>(test::seed_of_run(5100U));
  fmt::print("first seed {} (another one: MBDBENCH_SEED)\n", first_seed);
  double worst = 0.0;
  std::size_t divided = 0;
  for (std::int64_t i = 0; i < 40; ++i) {
    const Mechanism mechanism =
        built(fmt::format("random_tree:seed={},bodies={},branching={},loads={},motions={},screws={}", first_seed + i,
                          8 + i % 17, i % 3 == 0 ? 0.0 : 0.3, i % 2, i % 4, i % 3 == 1 ? 1 : 0));
    const int bodies = 1 + static_cast<int>(i % 6);
    divided += section_count(mechanism, bodies) > 1 ? 1U : 0U;
    for (const Compared& how : kCompared) {
      if (std::string_view(how.options) == "alpha=3,beta=5") {
        continue;  // nothing is closed
      }
      const double error = error_in_sections(mechanism, how, bodies, first_seed + i, 0.3, 0.5);
      // As against world axes in one part (parts_test).
      EXPECT_LT(error, 1e-9) << how.key << ' ' << how.options << " seed " << first_seed + i << " leaf=" << bodies;
      worst = std::max(worst, error);
    }
  }
  EXPECT_GT(divided, 25U);
  fmt::print("open trees in sections: worst relative difference {:.1e}\n", worst);
}

TEST(sections, of_loops_move_as_world_axes_say) {
  const auto first_seed = static_cast<std::int64_t>(test::seed_of_run(5200U));
  fmt::print("first seed {} (another one: MBDBENCH_SEED)\n", first_seed);
  double worst = 0.0;
  std::size_t divided = 0;
  std::size_t crossed = 0;
  for (std::int64_t i = 0; i < 80; ++i) {
    const Mechanism mechanism = built(fmt::format("random_closed:seed={},bodies={},cuts={},loads={},screws={}",
                                                  first_seed + i, 6 + i % 19, 1 + i % 5, i % 2, i % 3 == 0 ? 1 : 0));
    const int bodies = 1 + static_cast<int>(i % 7);
    if (section_count(mechanism, bodies) > 1) {
      ++divided;
      const LinkTree tree(mechanism, TreeLayout::branches, bodies);
      const PartPlan plan(mechanism, tree);
      crossed += std::any_of(plan.steps.begin(), plan.steps.end(), [](const PartPlan::Step& step) {
        return std::any_of(step.left.begin(), step.left.end(), [](int place) { return place >= 0; });
      });
    }
    const bool redundant = mechanism.generic_rank().rank < mechanism.constraint_size();
    for (const Compared& how : kCompared) {
      // Off the constraints, redundant rows contradict one another and sigma of them is not unique (parts_test).
      const std::string_view options = how.options;
      if (redundant && options != "projection=on" && options != "gauge=tangent") {
        continue;
      }
      const double error = error_in_sections(mechanism, how, bodies, first_seed + i, 1e-9, 0.1);
      EXPECT_LT(error, 1e-8) << how.key << ' ' << how.options << " seed " << first_seed + i << " leaf=" << bodies;
      worst = std::max(worst, error);
    }
  }
  EXPECT_GT(divided, 50U);
  EXPECT_GT(crossed, 30U);
  fmt::print("loops in sections, {} crossed by loops: worst relative difference {:.1e}\n", crossed, worst);
}

TEST(sections, of_lines_move_as_world_axes_say) {
  for (const char* key : {"pendulum_xyz:17", "pendulum:20", "grid:3", "loop:24", "ladder:6", "rings:5", "grid:4",
                          "squeezer", "car_axis", "loop8", "double_loop", "biped"}) {
    const Mechanism mechanism = built(key);
    for (const int bodies : {1, 2, 4, 7}) {
      for (const Compared& how : kCompared) {
        const bool redundant = mechanism.generic_rank().rank < mechanism.constraint_size();
        const std::string_view options = how.options;
        if (redundant && options != "projection=on" && options != "gauge=tangent") {
          continue;
        }
        EXPECT_LT(error_in_sections(mechanism, how, bodies, 3, 0.0, 0.1), 1e-10)
            << key << ' ' << how.key << ' ' << how.options << " leaf=" << bodies;
      }
    }
  }
}

// Couplings whose joints lie in two sections, in one, and prescribed joints among them.
TEST(sections, take_couplings_and_prescribed_motions_across_seams) {
  double worst = 0.0;
  int compared = 0;
  for (int seed = 1; seed <= 60; ++seed) {
    RandomSource random(9500 + seed);
    RandomTreeOptions options;
    options.bodies = 6 + static_cast<std::int64_t>(random.index(8));
    options.branching = 0.2;
    options.motions = seed % 3;
    options.screws = seed % 2 == 0;
    MechanismDescription description = draw_tree(random, options);
    std::vector<std::string> scalar;
    for (JointDescription& joint : description.joints) {
      joint.dependent = joint.motions.empty();
      if (joint.type == JointType::revolute || joint.type == JointType::prismatic || joint.type == JointType::screw) {
        scalar.push_back(joint.name);
      }
    }
    for (std::size_t c = 0; c + 1 < scalar.size() && c < 3; ++c) {
      CouplingDescription coupling;
      coupling.name = fmt::format("gear{}", c);
      coupling.terms = {{scalar[c], 0, random.uniform(0.5, 2.0)},
                        {scalar[scalar.size() - 1 - c / 2], 0, random.uniform(-2.0, -0.5)}};
      if (coupling.terms[0].joint != coupling.terms[1].joint) {
        description.couplings.push_back(coupling);
      }
    }
    std::unique_ptr<const Mechanism> made_of_it;
    try {
      made_of_it = std::make_unique<const Mechanism>(description);
    } catch (const ModelError&) {
      continue;  // couplings that nothing but driven joints could keep
    }
    const int bodies = 2 + seed % 3;
    compared += section_count(*made_of_it, bodies) > 1 ? 1 : 0;
    for (const Compared& how : kCompared) {
      const double error = error_in_sections(*made_of_it, how, bodies, seed, 1e-9, 0.1);
      EXPECT_LT(error, 1e-8) << how.key << ' ' << how.options << " seed " << seed;
      worst = std::max(worst, error);
    }
  }
  EXPECT_GT(compared, 40);
  fmt::print("trees with couplings and motions in sections: worst relative difference {:.1e}\n", worst);
}

TEST(sections, give_what_the_dense_reference_gives) {
  for (const char* key : {"ladder:9", "rings:4", "grid:5", "pendulum_xyz:20", "random_closed:seed=7,bodies=24"}) {
    const Mechanism mechanism = built(key);
    EXPECT_GT(section_count(mechanism, 6), 2U) << key;
    for (const auto& [key_of, reference] :
         {std::pair{"bae-haug", "dense"}, std::pair{"dca", "dense"}, std::pair{"hdca", "dense-momentum"}}) {
      const auto state = [&](std::string_view formulation, std::string_view options) {
        return test::evaluate_at(*test::make(formulation, mechanism, options), 0.0, mechanism.q0(), mechanism.u0());
      };
      // The condition of a grid is 1e3, that of the mass matrix likewise.
      EXPECT_LT(test::block_error(state(key_of, "leaf=6").xdot, state(reference, "").xdot), 1e-10)
          << key << ' ' << key_of;
    }
  }
}

/// Rows that loops imply, and rows that count for nothing, are those of one part.
TEST(sections, count_the_rows_that_one_part_counts) {
  for (const char* key : {"rings:6", "bricard", "random_closed:seed=103904,bodies=15,loads=0",
                          "random_closed:seed=418,bodies=13,cuts=4,loads=0", "random_closed:seed=5,bodies=60,cuts=9"}) {
    const Mechanism mechanism = built(key);
    for (const int bodies : {1, 3, 7}) {
      PartRecursion part(mechanism, PosesWanted::rows, {}, bodies);
      ASSERT_TRUE(part.set_positions(view(mechanism.q0())).ok) << key;
      EXPECT_EQ(part.redundant_rows(), mechanism.closing_row_count() - mechanism.generic_rank().rank)
          << key << " leaf=" << bodies;
    }
  }
}

TEST(sections, have_the_same_bits_on_any_number_of_threads) {
  for (const char* key : {"ladder:30", "rings:9", "grid:8", "random_closed:seed=11,bodies=70,cuts=9",
                          "random_tree:seed=12,bodies=60,branching=0.2,motions=2,screws=1"}) {
    const Mechanism mechanism = built(key);
    for (const Compared& how : kCompared) {
      std::vector<double> first;
      for (const int threads : {1, 2, 3, 8}) {
        const auto formulation =
            test::make(how.key, mechanism, fmt::format("{},leaf=7,threads={}", how.options, threads));
        EXPECT_GT(formulation->threads(), std::min(threads, 2) - 1) << key;
        std::vector<double> all;
        for (int repetition = 0; repetition < 2; ++repetition) {
          const test::Evaluation evaluation = test::evaluate_at(*formulation, 0.2, mechanism.q0(), mechanism.u0());
          EXPECT_TRUE(evaluation.status.ok) << evaluation.status.message();
          all.insert(all.end(), evaluation.xdot.begin(), evaluation.xdot.end());
        }
        first = first.empty() ? all : first;
        EXPECT_EQ(all, first) << how.key << ' ' << how.options << " on " << key << " with threads=" << threads;
      }
    }
  }
}

TEST(sections, are_as_many_as_the_option_says) {
  const Mechanism ladder = built("ladder:63");  // 128 bodies
  EXPECT_EQ(section_count(ladder, 64), 2U);
  EXPECT_EQ(section_count(ladder, 32), 4U);
  EXPECT_EQ(section_count(ladder, 128), 1U);
  EXPECT_EQ(section_count(ladder, 1'000'000), 1U) << "more bodies than there are: one part";
  const LinkTree tree(ladder, TreeLayout::branches, 16);
  double most = 0.0;
  double least = 1e300;
  for (std::size_t r = 1; r < tree.ranges().size(); ++r) {
    most = std::max(most, tree.ranges()[r].cost);
    least = std::min(least, tree.ranges()[r].cost);
  }
  EXPECT_LT(most, 1.5 * least) << "their threads end together";
  // Elements of chains of universal joints: none hangs on the massless link between two axes.
  const Mechanism chain = built("random_tree:seed=3,bodies=40,branching=0");
  const LinkTree sections(chain, TreeLayout::branches, 1);
  for (const int run : sections.roots()) {
    const int inboard =
        sections.rows()[static_cast<std::size_t>(sections.runs()[static_cast<std::size_t>(run)].first)].inboard;
    EXPECT_FALSE(sections.rows()[static_cast<std::size_t>(inboard)].massless);
  }
}

TEST(sections, say_what_they_cannot_do) {
  const Mechanism ladder = built("ladder:6");
  for (const char* leaf : {"0", "-3", "2.5", "01", "many", "99999999999"}) {
    for (const char* key : {"dca", "hdca", "bae-haug"}) {
      EXPECT_THROW(test::make(key, ladder, fmt::format("leaf={}", leaf)), ParameterError) << key << " leaf=" << leaf;
    }
  }
  EXPECT_THROW(test::make("dca", ladder, "leaf=4,loops=proximal"), ModelError);
  EXPECT_THROW(test::make("hdca", ladder, "leaf=4,cut_axes=body"), ModelError);
  EXPECT_THROW(test::make("bae-haug", ladder, "leaf=4,kernel=general"), ModelError);
  EXPECT_THROW(test::make("bae-haug", ladder, "leaf=4,processes=2"), ModelError);
}

TEST(sections, allocate_nothing) {
  const Mechanism mechanism = built("ladder:20");
  for (const Compared& how : kCompared) {
    const auto formulation = test::make(how.key, mechanism, fmt::format("{},leaf=9,threads=1", how.options));
    std::vector<double> x(formulation->state_size());
    std::vector<double> xdot(x.size());
    ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    ASSERT_TRUE(formulation->rhs(0.0, x, xdot).ok);
    const AllocationGuard guard;
    EXPECT_TRUE(formulation->rhs(0.0, x, xdot).ok);
    EXPECT_EQ(guard.count(), 0U) << how.key;
  }
}

TEST(sections, tell_what_is_not_finite) {
  const Mechanism mechanism = built("rings:3");
  const auto formulation = test::make("dca", mechanism, "leaf=8");
  std::vector<double> x(formulation->state_size());
  std::vector<double> xdot(formulation->state_size());
  ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<double> spoilt = x;
    spoilt[i] = std::numeric_limits<double>::quiet_NaN();
    const RhsStatus status = formulation->rhs(0.0, spoilt, xdot);
    EXPECT_FALSE(status.ok) << "component " << i;
    EXPECT_FALSE(status.joint.empty()) << "component " << i;
    ASSERT_TRUE(formulation->rhs(0.0, x, xdot).ok) << "component " << i << ": afterwards";
  }
}

}  // namespace
}  // namespace mbdbench
