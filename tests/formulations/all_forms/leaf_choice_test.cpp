// The option leaf=auto: what dca and hdca take as their pieces.
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "formulations/options/leaf_choice.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

struct Choice {
  std::string_view mechanism;
  std::string_view key;
  std::string_view options;
  Leaf expected;
};

TEST(leaf_choice, takes_what_the_mechanism_is_fastest_with_and_the_options_allow) {
  const std::vector<Choice> choices = {
      {"pendulum:55", "dca", "", Leaf::whole},
      {"pendulum:56", "dca", "", Leaf::subchain},
      {"pendulum:87", "hdca", "", Leaf::whole},
      {"pendulum:88", "hdca", "", Leaf::subchain},
      {"balanced_tree:127", "hdca", "", Leaf::subtree},
      // Equal limbs, and where too few sub-trees are of one form, or too small.
      {"quadruped", "dca", "", Leaf::subtree},
      {"humanoid", "hdca", "", Leaf::subtree},
      {"star:3", "dca", "", Leaf::whole},
      {"random_tree:seed=4,bodies=200,loads=0", "dca", "", Leaf::whole},
      {"pendulum:256", "dca", "kernel=general", Leaf::body},
      // A loop of n joints has n - 1 bodies.
      {"loop:20", "dca", "", Leaf::whole},
      {"loop:21", "dca", "", Leaf::subchain},
      {"loop:12", "hdca", "", Leaf::whole},
      {"loop:13", "hdca", "", Leaf::subchain},
      {"loop:65", "dca", "baumgarte_alpha=1", Leaf::whole},
      {"loop:65", "dca", "baumgarte_beta=1", Leaf::whole},
      {"loop:65", "dca", "projection=off", Leaf::whole},
      {"loop:65", "dca", "projection=velocities", Leaf::subchain},
      {"loop:65", "hdca", "gauge=reset", Leaf::whole},
      {"loop:65", "hdca", "feedback=1", Leaf::whole},
      {"loop:65", "hdca", "cut_axes=body", Leaf::body},
      {"loop:65", "hdca", "gauge=none", Leaf::whole},
      {"loop:65", "hdca", "gauge=leak", Leaf::whole},
      {"loop:65", "hdca", "gauge=tangent", Leaf::subchain},
      {"loop:65,springs=3", "dca", "", Leaf::whole},
      {"loop:65", "dca", "leaf=100", Leaf::whole},
      // Loops that cross: one part pays for every pair of them at a joint.
      {"ladder:31", "dca", "", Leaf::whole},
      {"rings:8", "hdca", "", Leaf::whole},
      {"grid:4", "dca", "", Leaf::whole},
      {"grid:5", "dca", "", Leaf::body},
      {"grid:5", "hdca", "", Leaf::body},
  };
  for (const Choice& choice : choices) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), choice.mechanism);
    const FormulationEntry& entry = *find_formulation(formulation_registry(), choice.key);
    const Parameters options = parse_parameters(entry.options, choice.options, "options");
    EXPECT_EQ(chosen_leaf(mechanism, entry.rate_kind, options), choice.expected)
        << choice.key << '[' << choice.options << "] on " << choice.mechanism;
  }
}

TEST(leaf_choice, bodies_that_nobody_asked_for_have_one_thread_without_a_complaint) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "grid:5");
  for (const std::string_view key : {"dca", "hdca"}) {
    EXPECT_EQ(test::make(key, mechanism, "threads=2")->threads(), 1) << key;
    EXPECT_THROW(static_cast<void>(test::make(key, mechanism, "threads=2,leaf=body")), ModelError) << key;
  }
}

}  // namespace
}  // namespace mbdbench
