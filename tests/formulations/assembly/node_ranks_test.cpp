// The ranks of the nodes where loops close: together those of the constraints, also where the pivots of one node are
// rounding that another one enlarges.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

/// \returns redundant rows as `key` tells them at (q, u), and how its rates changed since.
double redundant_rows(Formulation& formulation) {
  double rows = -1.0;
  formulation.diagnostics([&](std::string_view name, double value) { rows = name == "redundant_rows" ? value : rows; });
  return rows;
}

/// Steps of Euler's method of 1e-4 s: the loops open by 1e-8 |u'| and more.
void expect_redundancy_along_a_motion(const std::string& key) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
  const double expected = mechanism.constraint_size() - mechanism.generic_rank().rank;
  for (const auto& [name, leaf] : {std::pair{"hdca", "leaf=body"}, std::pair{"dca", "leaf=body"},
                                   std::pair{"hdca", "leaf=auto"}, std::pair{"dca", "leaf=auto"}}) {
    const auto formulation = test::make(name, mechanism, leaf);
    test::Evaluation here = test::evaluate_at(*formulation, 0.0, mechanism.q0(), mechanism.u0());
    ASSERT_TRUE(here.status.ok) << key << ' ' << name << ' ' << here.status.message();
    for (int step = 0; step < 4; ++step) {
      for (std::size_t i = 0; i < here.x.size(); ++i) {
        here.x[i] += 1e-4 * here.xdot[i];
      }
      ASSERT_TRUE(formulation->rhs(0.0, here.x, here.xdot).ok) << key << ' ' << name;
      EXPECT_EQ(redundant_rows(*formulation), expected) << key << ' ' << name << ", step " << step;
    }
  }
}

TEST(node_ranks, rounding_of_one_node_is_not_a_constraint_of_another) {
  expect_redundancy_along_a_motion("random_closed:seed=750307,bodies=6,cuts=3");
}

TEST(node_ranks, add_up_to_the_generic_rank) {
  for (int seed = 1; seed <= 100; ++seed) {
    expect_redundancy_along_a_motion(
        fmt::format("random_closed:seed={},bodies={},cuts={}", seed, 4 + seed % 5, 1 + seed % 3));
  }
}

}  // namespace
}  // namespace mbdbench
