/// \file
/// The reference of 113 bits for right-hand sides, and what it says of formulations.
#include "experiments/studies/runner/observation/precise_accelerations.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "experiments/registries/registries.hpp"
#include "experiments/studies/runner/observation/rounding_errors.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"

namespace mbdbench::studies {
namespace {

Mechanism of_catalogue(const std::string& key) {
  return make_mechanism(mechanism_registry(), key);
}

std::unique_ptr<Formulation> formulation_of(const Mechanism& mechanism, std::string_view key,
                                            std::string_view options = {}) {
  const auto& registry = formulation_registry();
  return make_formulation(registry, *find_formulation(registry, key), mechanism, options);
}

// The equations of motion of the baby boot in two lines.
TEST(precise_accelerations, are_those_of_equations_derived_by_hand) {
  const Mechanism mechanism = of_catalogue("babyboot");
  const double a = 0.7;
  const double b = 1.1;
  const double rate = 2.0;
  const double turning = -3.0;
  const double bend = (5e-5 - 2.5e-4) * std::sin(b) * std::cos(b);
  const double inertia = 0.01 * 0.075 * 0.075 + 5e-6 + 0.1 * 0.2 * 0.2 + 2.5e-4 * std::cos(b) * std::cos(b) +
                         5e-5 * std::sin(b) * std::sin(b);
  const double weight = 9.81 * (0.01 * 0.075 + 0.1 * 0.2);
  const std::vector<double> q = {a, b};
  const std::vector<double> u = {rate, turning};
  const std::vector<double> found = precise_accelerations(mechanism, q, u);
  ASSERT_EQ(found.size(), 2U);
  // Rounding of the formulas here.
  EXPECT_NEAR(found[0], (-weight * std::sin(a) - 2.0 * bend * rate * turning) / inertia, 1e-13);
  EXPECT_NEAR(found[1], bend * rate * rate / 2e-4, 1e-13);
}

// All joint types of the catalogue, branches, spinning bodies: 1e-16 where dense and articulated bodies round to 1e-15.
TEST(precise_accelerations, agree_with_dense_and_articulated_bodies_on_random_trees) {
  for (int seed = 1; seed <= 40; ++seed) {
    const Mechanism mechanism =
        of_catalogue(fmt::format("random_tree:seed={},bodies=12,loads=0,screws={}", seed, seed % 2));
    RoundingErrors errors(mechanism);
    for (const char* key : {"dense", "aba"}) {
      const auto formulation = formulation_of(mechanism, key);
      const Measured error = errors.acceleration(*formulation);
      ASSERT_TRUE(error.usable()) << error.note;
      // Their condition is below 1e4; largest measured 4e-13.
      EXPECT_LT(error.value, 1e-11) << key << " of seed " << seed;
    }
  }
}

TEST(precise_accelerations, refuse_what_they_do_not_know) {
  EXPECT_NE(refuse_precise_accelerations(of_catalogue("four_bar")).find("open"), std::string::npos);
  EXPECT_NE(refuse_precise_accelerations(of_catalogue("car_axis")).find("prescribed"), std::string::npos);
  EXPECT_NE(refuse_precise_accelerations(of_catalogue("random_tree")).find("gravity"), std::string::npos);
  EXPECT_EQ(refuse_precise_accelerations(of_catalogue("coil")), "");
  const Mechanism four_bar = of_catalogue("four_bar");
  EXPECT_THROW(precise_accelerations(four_bar, {}, {}), std::invalid_argument);
}

// What study `rounding` claims, at a size for a test: bodies as leaves lose what sub-chains and the recursion keep.
TEST(rounding_errors, divide_and_conquer_with_bodies_as_leaves_loses_digits_on_a_coil) {
  const Mechanism mechanism = of_catalogue("coil:64");
  RoundingErrors errors(mechanism);
  const auto aba = formulation_of(mechanism, "aba");
  const auto bodies = formulation_of(mechanism, "dca", "leaf=body");
  const auto chains = formulation_of(mechanism, "dca", "leaf=subchain,threads=1");
  const double kept = errors.acceleration(*aba).value;
  // Measured 1.5e-14, 1.6e-11 and 4e-15.
  EXPECT_LT(kept, 2e-13);
  EXPECT_GT(errors.acceleration(*bodies).value, 10.0 * kept);
  EXPECT_LT(errors.acceleration(*chains).value, 2e-13);
}

TEST(rounding_errors, states_tell_what_they_have) {
  const Mechanism mechanism = of_catalogue("coil:16");
  RoundingErrors errors(mechanism);
  const auto accelerations = formulation_of(mechanism, "aba");
  const auto momenta = formulation_of(mechanism, "naudet");
  const auto absolute = formulation_of(mechanism, "dca-alm");
  EXPECT_EQ(errors.velocity(*accelerations).state, CellState::refused);
  EXPECT_EQ(errors.acceleration(*momenta).state, CellState::refused);
  EXPECT_EQ(errors.acceleration(*absolute).state, CellState::refused);
  const Measured lost = errors.velocity(*momenta);
  ASSERT_TRUE(lost.usable());
  // A condition of some 1e5 takes digits, not all of them; measured 4e-14.
  EXPECT_GT(lost.value, 1e-16);
  EXPECT_LT(lost.value, 1e-9);
}

}  // namespace
}  // namespace mbdbench::studies
