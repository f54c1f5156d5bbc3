// bae-haug-printed against dense on closed loops, with link l on the ground or moving, and as the paper's own
// mechanisms. Trees: right_hand_side_test.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

/// Errors of u' and of the reactions against dense, relative to the largest.
struct Errors {
  double rate = 0.0;
  double reactions = 0.0;
};

std::vector<double> all_reactions(Formulation& formulation, const std::vector<double>& x) {
  Reactions reactions;
  EXPECT_TRUE(formulation.reactions(0.3, x, reactions).ok);
  std::vector<double> numbers;
  for (const auto* list : {&reactions.tree_joints, &reactions.cut_joints}) {
    for (const Vec6& wrench : *list) {
      numbers.insert(numbers.end(), wrench.data(), wrench.data() + 6);
    }
  }
  return numbers;
}

Errors errors_of(const Mechanism& mechanism) {
  const auto dense = test::make("dense", mechanism);
  const auto printed = test::make("bae-haug-printed", mechanism);
  const test::Evaluation expected = test::evaluate_at(*dense, 0.3, mechanism.q0(), mechanism.u0());
  const test::Evaluation found = test::evaluate_at(*printed, 0.3, mechanism.q0(), mechanism.u0());
  EXPECT_TRUE(expected.status.ok && found.status.ok) << found.status.message();
  return {test::block_error(found.xdot, expected.xdot),
          test::block_error(all_reactions(*printed, found.x), all_reactions(*dense, found.x))};
}

TEST(bae_haug_printed, loops_have_the_accelerations_and_reactions_of_dense) {
  int compared = 0;
  Errors worst;
  for (int i = 0; i < 100; ++i) {
    const std::string name =
        fmt::format("random_closed:seed={},bodies={},cuts={},loads={}", 2008 + i, 3 + i % 11, 1 + i % 3, i % 2);
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    if (!refusal_of(*find_formulation(formulation_registry(), "bae-haug-printed"), mechanism).empty()) {
      continue;
    }
    const Errors errors = errors_of(mechanism);
    // Rounding times the condition of some mechanisms; a wrong term gives 1e-3 or more.
    EXPECT_LT(errors.rate, 1e-7) << name;
    worst.rate = std::max(worst.rate, errors.rate);
    // How redundant rows share a load is not unique.
    if (!mechanism.generic_rank().overconstrained && mechanism.generic_rank().rank == mechanism.cut_row_count()) {
      EXPECT_LT(errors.reactions, 1e-7) << name;
      worst.reactions = std::max(worst.reactions, errors.reactions);
      ++compared;
    }
  }
  fmt::print("100 random loops, worst errors: rates {:.1e}, reactions {:.1e} ({} without redundant rows)\n", worst.rate,
             worst.reactions, compared);
  EXPECT_GT(compared, 30);
}

TEST(bae_haug_printed, the_papers_mechanisms_and_moving_links_l) {
  // slider_crank and loop: link l is the ground; the others hang on one body.
  for (const char* name : {"slider_crank", "loop:9", "loop:16", "four_bar", "double_loop", "coupled_loops"}) {
    EXPECT_LT(errors_of(make_mechanism(mechanism_registry(), name)).rate, 1e-10) << name;
  }
}

TEST(bae_haug_printed, stabilisation_is_that_of_bae_haug) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "slider_crank");
  RandomSource random(5);
  const Eigen::VectorXd u = mechanism.u0() + 0.1 * test::random_vector(mechanism.u_size(), random);
  const Eigen::VectorXd q =
      test::moved(mechanism, mechanism.q0(), test::random_vector(mechanism.u_size(), random), 1e-2);
  const auto rates = [&](const char* key, const char* options) {
    return test::evaluate_at(*test::make(key, mechanism, options), 0.0, q, u).xdot;
  };
  const std::vector<double> expected = rates("bae-haug", "kernel=general,alpha=7,beta=3");
  EXPECT_LT(test::block_error(rates("bae-haug-printed", "alpha=7,beta=3"), expected), 1e-9);
  EXPECT_GT(test::block_error(rates("bae-haug-printed", ""), expected), 1e-2);
}

TEST(bae_haug_printed, prescribed_motions_are_refused) {
  const Mechanism mechanism =
      make_mechanism(mechanism_registry(), "random_tree:seed=53,bodies=8,branching=0,motions=2");
  EXPECT_NE(refusal_of(*find_formulation(formulation_registry(), "bae-haug-printed"), mechanism)
                .find("no prescribed motions"),
            std::string::npos);
}

// A heavy body on a light one: the recursion subtracts inertias of the heavy one's size, and a tenth of eps times the
// ratio of masses is lost.
TEST(bae_haug_printed, light_bodies_that_carry_heavy_ones_are_refused) {
  const FormulationEntry& printed = *find_formulation(formulation_registry(), "bae-haug-printed");
  EXPECT_NE(refusal_of(printed, make_mechanism(mechanism_registry(), "cart_pole:ratio=1e12"))
                .find("which is 1e+12 times as heavy"),
            std::string::npos);
  EXPECT_NE(refusal_of(printed, make_mechanism(mechanism_registry(), "cart_pole:ratio=1e6")), "");
  for (const char* name : {"cart_pole:ratio=1e4", "cart_pole:ratio=1e-6"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    EXPECT_EQ(refusal_of(printed, mechanism), "") << name;
    EXPECT_LT(errors_of(mechanism).rate, 1e-12) << name;
  }
}

}  // namespace
}  // namespace mbdbench
