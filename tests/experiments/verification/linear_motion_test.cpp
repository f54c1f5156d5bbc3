// Motion near a state that is no equilibrium: where constraints of velocities stay as they are, and where they turn.
#include "experiments/verification/derivatives/linear_motion.hpp"

#include <gtest/gtest.h>

#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "tests/support/rolling_bodies.hpp"

namespace mbdbench {
namespace {

LinearMotion motion_of(const Mechanism& mechanism) {
  const auto& registry = formulation_registry();
  const auto formulation = make_formulation(registry, *find_formulation(registry, "dense"), mechanism, "");
  std::vector<double> x(formulation->state_size());
  EXPECT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
  return linear_motion(*formulation, 0.0, x);
}

/// A sleigh that glides straight keeps the directions of its blade: a turn dies out as -m a v / (J + m a^2).
TEST(linear_motion, of_a_straight_glide_has_the_eigenvalue_of_its_closed_form) {
  test::Sleigh sleigh;
  sleigh.turn = 0.0;
  const LinearMotion motion = motion_of(Mechanism(sleigh.description()));
  EXPECT_FALSE(motion.leaves_constraints);
  const double expected =
      -sleigh.mass * sleigh.ahead * sleigh.speed / (sleigh.inertia + sleigh.mass * sleigh.ahead * sleigh.ahead);
  EXPECT_LT((motion.eigenvalues.array() - expected).abs().minCoeff(), 1e-12);
}

/// Its eigenvalues depend on coordinates once the blade turns, and those of a loop that moves do.
TEST(linear_motion, says_where_the_directions_of_constraints_turn) {
  EXPECT_TRUE(motion_of(Mechanism(test::Sleigh().description())).leaves_constraints);
  MechanismDescription bars = make_mechanism(mechanism_registry(), "four_bar:angle=0.3").description();
  bars.joints.front().v0 = {1.0};
  const Mechanism loop(bars);
  ASSERT_GT(loop.u0().norm(), 0.1);
  EXPECT_TRUE(motion_of(loop).leaves_constraints);
}

}  // namespace
}  // namespace mbdbench
