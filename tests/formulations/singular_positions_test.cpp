// Cut joints that double a joint of the tree: the constraints' rows are rounding and restrict nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/formulations/runge_kutta_step.hpp"

namespace mbdbench {
namespace {

/// Mechanisms in which rows of Phi_q are rounding just above what the Jacobians set to zero.
constexpr std::array<const char*, 5> kDoubledJoints = {
    "random_closed:seed=4048,bodies=5,cuts=1,branching=0.2", "random_closed:seed=3124,bodies=5,cuts=1,branching=0.2",
    "random_closed:seed=5153,bodies=4,cuts=1,branching=0.2", "random_closed:seed=2021,cuts=1,branching=0.2",
    "random_closed:seed=4104,bodies=3,cuts=1,branching=0.2"};

TEST(doubled_joints, the_dense_reference_agrees_with_recursions_and_with_the_assembly) {
  for (const char* const key : kDoubledJoints) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    const test::Evaluation dense =
        test::evaluate_at(*test::make("dense", mechanism), 0.3, mechanism.q0(), mechanism.u0());
    ASSERT_TRUE(dense.status.ok) << key;
    for (const char* const other : {"bae-haug", "dca"}) {
      const test::Evaluation result =
          test::evaluate_at(*test::make(other, mechanism), 0.3, mechanism.q0(), mechanism.u0());
      ASSERT_TRUE(result.status.ok) << key << " " << other;
      // As verify: 10 n eps cond with a condition up to 2e2. Rounding taken for a constraint makes it 1e-3 to 1.
      EXPECT_LT(test::block_error(result.xdot, dense.xdot), 1e-11) << key << " " << other;
    }
  }
}

TEST(doubled_joints, the_dense_references_keep_the_energy) {
  for (const char* const key : kDoubledJoints) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), fmt::format("{},loads=0", key));
    for (const char* const reference : {"dense", "dense-momentum"}) {
      const auto formulation = test::make(reference, mechanism);
      std::vector<double> x(formulation->state_size());
      ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
      Observation before;
      ASSERT_TRUE(formulation->observe(0.0, x, before).ok);
      constexpr double kStep = 1e-3;
      constexpr int kSteps = 200;
      for (int i = 0; i < kSteps; ++i) {
        ASSERT_TRUE(test::runge_kutta_step(*formulation, i * kStep, kStep, x).ok);
      }
      Observation after;
      ASSERT_TRUE(formulation->observe(kSteps * kStep, x, after).ok);
      const double change = after.energies.total() - before.energies.total();
      fmt::print("{} {}: energy changes by {:.1e} of {:.1e} J in {} s\n", key, reference, change,
                 before.energies.kinetic, kSteps * kStep);
      // Classical Runge-Kutta, h^4 times fifth derivatives; false constraints cost 1 J/s and more.
      EXPECT_NEAR(change, 0.0, 1e-6) << key << " " << reference;
    }
  }
}

}  // namespace
}  // namespace mbdbench
