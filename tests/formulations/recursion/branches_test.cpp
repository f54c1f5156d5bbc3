// Branches that threads share, of a tree (formulations/recursion/tree_division.hpp) and of an assembly
// (formulations/assembly/assembly_division.hpp): the same bits on any number of threads, the motion of the dense
// reference, and what a division must keep.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "formulations/recursion/links/link_tree.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/support/allocation_guard.hpp"
#include "tests/support/catalogue_mechanism.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench {
namespace {

/// All that a formulation gives at one state, as one row of numbers.
std::vector<double> everything(Formulation& formulation, const Mechanism& mechanism) {
  std::vector<double> x(formulation.state_size());
  EXPECT_TRUE(formulation.pack(0.2, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  std::vector<double> all = x;
  for (int repetition = 0; repetition < 2; ++repetition) {  // threads that met by chance might not do so again
    std::vector<double> xdot(x.size());
    const RhsStatus status = formulation.rhs(0.2, x, xdot);
    EXPECT_TRUE(status.ok) << status.message();
    all.insert(all.end(), xdot.begin(), xdot.end());
  }
  std::vector<double> q(static_cast<std::size_t>(mechanism.q_size()));
  std::vector<double> u(static_cast<std::size_t>(mechanism.u_size()));
  EXPECT_TRUE(formulation.unpack(0.2, x, q, u).ok);
  all.insert(all.end(), u.begin(), u.end());
  Reactions reactions;
  EXPECT_TRUE(formulation.reactions(0.2, x, reactions).ok);
  for (const std::vector<Vec6>* wrenches : {&reactions.tree_joints, &reactions.cut_joints}) {
    for (const Vec6& wrench : *wrenches) {
      all.insert(all.end(), wrench.begin(), wrench.end());
    }
  }
  // A step that has left the constraints a little: projections move it back.
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] += 1e-7 * (static_cast<double>(37 * i % 11) - 5.0);
  }
  formulation.after_step(0.2, x);
  all.insert(all.end(), x.begin(), x.end());
  formulation.diagnostics([&all](std::string_view /*name*/, double value) { all.push_back(value); });
  return all;
}

struct Way {
  const char* key;
  const char* options;
};

constexpr std::array kWays = {Way{"dca", "threads={}"},
                              Way{"hdca", "threads={}"},
                              Way{"hdca", "gauge=tangent,threads={}"},
                              Way{"bae-haug", "projection=on,threads={}"},
                              Way{"bae-haug", "projection=off,alpha=2,beta=3,threads={}"},
                              Way{"dca-alm", "threads={}"},
                              Way{"dca-alm-proj", "threads={}"}};

/// \returns whether the mechanism has been divided.
bool expect_the_same_bits(const std::string& name) {
  const Mechanism mechanism = test::from_catalogue(name);
  bool divided = false;
  for (const Way& way : kWays) {
    std::vector<double> first;
    const bool is_variant = &way == &kWays[2] || &way == &kWays[4];
    for (const int threads : {1, 2, 3, 8}) {
      if (is_variant && threads > 2) {
        continue;  // more threads than processors take turns in slices of milliseconds
      }
      const auto formulation = test::make(way.key, mechanism, fmt::format(fmt::runtime(way.options), threads));
      EXPECT_LE(formulation->threads(), threads) << way.key << " on " << name;
      divided = divided || formulation->threads() > 1;
      const std::vector<double> all = everything(*formulation, mechanism);
      first = first.empty() ? all : first;
      EXPECT_EQ(all, first) << way.key << " on " << name << " with threads=" << threads;
    }
  }
  return divided;
}

TEST(branches, trees_have_the_same_bits_on_any_number_of_threads) {
  const std::uint64_t first_seed = test::seed_of_run(4000U);
  fmt::print("first seed {} (another one: MBDBENCH_SEED)\n", first_seed);
  for (std::uint64_t i = 0; i < 3; ++i) {
    expect_the_same_bits(fmt::format("random_tree:seed={},bodies={},branching={},loads={},motions={},screws={}",
                                     first_seed + i, 280 + 20 * i, i % 2 == 0 ? 0.5 : 1.0, i % 2, 3 * (i / 2),
                                     i == 2 ? 1 : 0));
  }
  EXPECT_TRUE(expect_the_same_bits("balanced_tree:bodies=700,branching=3"));
}

TEST(branches, loops_have_the_same_bits_on_any_number_of_threads) {
  const std::uint64_t first_seed = test::seed_of_run(4100U);
  fmt::print("first seed {} (another one: MBDBENCH_SEED)\n", first_seed);
  for (std::uint64_t i = 0; i < 2; ++i) {
    expect_the_same_bits(fmt::format("random_closed:seed={},bodies={},cuts={},loads={}", first_seed + i, 260 + 20 * i,
                                     3 + 3 * i, i % 2));
  }
  // One loop through the ground: its two chains are the branches, and nothing is left for the trunk.
  EXPECT_TRUE(expect_the_same_bits("loop:301"));
}

/// Few and small: the dense references take the third power of the number of bodies.
// An assembly tree is balanced whatever it assembles: what has no branches itself is divided too.
TEST(branches, of_assemblies_have_the_same_bits_on_any_number_of_threads) {
  for (const char* const name : {"pendulum:200", "ladder:90", "rings:30", "double_loop"}) {
    const bool divided = expect_the_same_bits(name);
    EXPECT_EQ(divided, std::string_view(name) != "double_loop") << name;
  }
}

TEST(branches, give_what_the_dense_reference_gives) {
  const std::uint64_t first_seed = test::seed_of_run(4200U);
  fmt::print("first seed {} (another one: MBDBENCH_SEED)\n", first_seed);
  double worst = 0.0;
  int divided = 0;
  for (std::uint64_t i = 0; i < 2; ++i) {
    const std::string name = fmt::format("random_tree:seed={},bodies=230,branching={},loads={},motions={}",
                                         first_seed + i, i == 0 ? 1.0 : 0.7, i % 2, 2 * i);
    const Mechanism mechanism = test::from_catalogue(name);
    for (const char* const key : {"dca", "hdca", "bae-haug"}) {
      divided += test::make(key, mechanism, "threads=2")->threads() > 1 ? 1 : 0;
      const double share = test::share_of_rounding(key, "threads=2", mechanism);
      EXPECT_LT(share, 1.0) << key << " on " << name;  // both lose about n eps cond(M); a wrong term is far above
      worst = std::max(worst, share);
    }
  }
  fmt::print("{} divided, worst error {:.2f} of n eps cond(M)\n", divided, worst);
  EXPECT_GT(divided, 0);
}

TEST(branches, close_loops_as_dense_reference_and_assembly_do) {
  const std::uint64_t first_seed = test::seed_of_run(4300U);
  fmt::print("first seed {} (another one: MBDBENCH_SEED)\n", first_seed);
  double worst = 0.0;
  int divided = 0;
  for (std::uint64_t i = 0; i < 2; ++i) {
    const std::string name =
        fmt::format("random_closed:seed={},bodies=200,cuts={},loads={}", first_seed + i, 2 + 3 * i, i % 2);
    const Mechanism mechanism = test::from_catalogue(name);
    for (const char* const key : {"dca", "bae-haug", "hdca"}) {
      // sigma, and with it p', depends on the gauge: bodies as leaves have the same one.
      const bool momenta = std::string_view(key) == "hdca";
      const auto formulation = test::make(key, mechanism, "threads=2");
      divided += formulation->threads() > 1 ? 1 : 0;
      const auto reference = momenta ? test::make(key, mechanism, "leaf=body") : test::make("dense", mechanism);
      const test::Evaluation expected = test::evaluate_at(*reference, 0.0, mechanism.q0(), mechanism.u0());
      ASSERT_TRUE(expected.status.ok) << expected.status.message();
      std::vector<double> xdot(formulation->state_size());
      ASSERT_TRUE(formulation->rhs(0.0, expected.x, xdot).ok) << key << " on " << name;
      const double error = test::block_error(xdot, expected.xdot);
      // Conditions of M and of its Schur complement, up to 1e4 each, times eps.
      EXPECT_LT(error, 1e-8) << key << " on " << name;
      worst = std::max(worst, error);
    }
  }
  fmt::print("{} divided, worst relative difference {:.1e}\n", divided, worst);
  EXPECT_GT(divided, 0);
}

TEST(branches, right_hand_sides_on_several_threads_allocate_nothing) {
  if (!AllocationGuard::active()) {
    return;
  }
  for (const char* const name :
       {"random_tree:seed=9,bodies=300", "random_closed:seed=9,bodies=260,cuts=4", "loop:301"}) {
    const Mechanism mechanism = test::from_catalogue(name);
    for (const Way& way : kWays) {
      const auto formulation = test::make(way.key, mechanism, fmt::format(fmt::runtime(way.options), 2));
      std::vector<double> x(formulation->state_size());
      std::vector<double> xdot(x.size());
      ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
      ASSERT_TRUE(formulation->rhs(0.0, x, xdot).ok);  // OpenMP's library may allocate in its first region
      const AllocationGuard guard;
      const RhsStatus status = formulation->rhs(0.1, x, xdot);
      EXPECT_EQ(guard.count(), 0U) << way.key << " on " << name;
      EXPECT_TRUE(status.ok) << status.message();
    }
  }
}

// Rows of a branch are neighbours and reach nothing but themselves and the trunk.
TEST(branches, hang_on_the_trunk_alone) {
  const std::uint64_t first_seed = test::seed_of_run(4400U);
  fmt::print("first seed {} (another one: MBDBENCH_SEED)\n", first_seed);
  int divided = 0;
  for (std::uint64_t i = 0; i < 40; ++i) {
    const Mechanism mechanism =
        test::from_catalogue(fmt::format("random_tree:seed={},bodies={},branching={},loads=0", first_seed + i,
                                         50 + 30 * i, 0.25 * static_cast<double>(1 + i % 4)));
    const LinkTree tree(mechanism, TreeLayout::branches);
    divided += tree.ranges().size() > 1 ? 1 : 0;
    int next_row = 0;
    int bodies = 0;
    std::size_t roots = 0;
    for (const LinkRange& range : tree.ranges()) {
      ASSERT_EQ(range.first_row, next_row);
      next_row = range.last_row;
      bodies += range.last_body - range.first_body;
      const int trunk = tree.ranges().front().last_row;
      for (int row = range.first_row; row < range.last_row; ++row) {
        const int inboard = tree.rows()[static_cast<std::size_t>(row)].inboard;
        ASSERT_LT(inboard, row);
        const bool own = inboard >= range.first_row;
        ASSERT_TRUE(inboard < 0 || own || inboard < trunk);
        roots += inboard >= 0 && !own ? 1U : 0U;
      }
    }
    EXPECT_EQ(next_row, static_cast<int>(tree.size()));
    EXPECT_EQ(bodies, mechanism.body_count());
    EXPECT_EQ(roots, tree.roots().size());
  }
  EXPECT_GT(divided, 20);
}

TEST(branches, are_made_where_two_threads_gain) {
  const auto ranges = [](const std::string& key) {
    return LinkTree(test::from_catalogue(key), TreeLayout::branches).ranges().size();
  };
  EXPECT_EQ(ranges("pendulum:2000"), 1U) << "one chain has no branches";
  EXPECT_EQ(ranges("ladder:300"), 1U) << "half of it is one chain";
  EXPECT_EQ(ranges("quadruped"), 1U) << "too small for regions of threads";
  EXPECT_EQ(ranges("loop:301"), 3U) << "an empty trunk and two chains";
  EXPECT_GE(ranges("star:1000"), 9U);
  // What one thread has to do alone is small.
  for (const char* const key : {"balanced_tree:2047", "random_tree:seed=4,bodies=2000,loads=0"}) {
    const LinkTree tree(test::from_catalogue(key), TreeLayout::branches);
    EXPECT_LT(tree.ranges().front().last_row, static_cast<int>(tree.size() / 10)) << key;
  }
}

}  // namespace
}  // namespace mbdbench
