// Positions where the constraints' rows lose rank, and rows that never had any: cut joints that double a joint of the
// tree, loops that turn with their base.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "formulations/naudet/closed_dynamics.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"
#include "tests/formulations/naudet/closed_settings.hpp"
#include "tests/formulations/runge_kutta_step.hpp"
#include "tests/support/loop_on_a_table.hpp"

namespace mbdbench {
namespace {

constexpr std::array<const char*, 4> kClosedNaudet = {"naudet", "naudet-reduced", "naudet-acc", "naudet-acc-reduced"};

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

TEST(turning_loops, stay_closed_where_the_rows_of_the_start_are_dependent) {
  const Mechanism mechanism = test::loop_on_a_table();
  constexpr double kStep = 1e-3;
  constexpr int kSteps = 2500;
  for (const char* const key : kClosedNaudet) {
    const auto formulation = test::make(key, mechanism);
    std::vector<double> x(formulation->state_size());
    ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
    Observation before;
    ASSERT_TRUE(formulation->observe(0.0, x, before).ok);
    for (int i = 0; i < kSteps; ++i) {
      ASSERT_TRUE(test::runge_kutta_step(*formulation, i * kStep, kStep, x).ok);
      static_cast<void>(formulation->after_step((i + 1) * kStep, x));
    }
    Observation after;
    ASSERT_TRUE(formulation->observe(kSteps * kStep, x, after).ok);
    const double energy = after.energies.total() - before.energies.total();
    const double momentum = after.angular_momentum.y() - before.angular_momentum.y();
    fmt::print("{}: {:.1e} m open, energy changes by {:.1e} J, angular momentum by {:.1e} kg m^2/s\n", key,
               after.position_residual, energy, momentum);
    // Two degrees of freedom: while the loop is closed, the two invariants leave no other motion. Fourth-order errors
    // of steps of 1 ms; with the rows of the start the loop opens by metres.
    EXPECT_LT(after.position_residual, 1e-6) << key;
    EXPECT_NEAR(energy, 0.0, 1e-5) << key;
    EXPECT_NEAR(momentum, 0.0, 1e-5) << key;
    EXPECT_GT(x[0], 2.0) << key << ": the table must turn by more than a quarter";
  }
}

TEST(singular_start, is_refused_with_both_numbers_and_with_what_can_treat_it) {
  // Also where the start is singular to rounding only: the loop would open as soon as it moves.
  for (const double turned : {0.0, 1e-9}) {
    MechanismDescription description = make_mechanism(mechanism_registry(), "five_bar:shape=line").description();
    description.joints.front().q0[0] += turned;
    const Mechanism mechanism(description);
    for (const char* const key : kClosedNaudet) {
      try {
        static_cast<void>(test::make(key, mechanism));
        ADD_FAILURE() << key << " must refuse the start, turned by " << turned;
      } catch (const ModelError& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("1 independent constraints there and 2 nearby"), std::string::npos) << text;
        EXPECT_NE(text.find("these can: dense"), std::string::npos) << text;
        EXPECT_NE(text.find("bae-haug"), std::string::npos) << text;
        EXPECT_EQ(text.find("naudet", text.find("these can")), std::string::npos) << text;
      }
    }
  }
}

TEST(singular_start, regular_starts_are_not_refused) {
  std::vector<std::string> keys;
  for (int seed = 300; seed < 340; ++seed) {
    keys.push_back(fmt::format("random_closed:seed={},bodies={},cuts={}", seed, 3 + seed % 7, 1 + seed % 3));
  }
  for (const MechanismEntry& entry : mechanism_registry()) {
    keys.emplace_back(entry.key);
  }
  for (const std::string& key : keys) {
    EXPECT_EQ(refuse_singular_start(make_mechanism(mechanism_registry(), key)), "") << key;
  }
}

TEST(assembly_branch, a_step_over_a_singular_position_ends_reduced_forms_with_a_status) {
  // The rhombus folds at 0.64 s: dependent coordinates of both assemblies meet there.
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "five_bar:shape=rhombus");
  for (const char* const key : {"naudet-reduced", "naudet-acc-reduced"}) {
    // Steps that end near the fold and steps that jump over it.
    for (const double step : {0.005, 0.007, 0.011, 0.02}) {
      const auto formulation = test::make(key, mechanism);
      std::vector<double> x(formulation->state_size());
      ASSERT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
      Observation observation;
      ASSERT_TRUE(formulation->observe(0.0, x, observation).ok);
      const double start = observation.energies.total();
      RhsStatus status;
      double t = 0.0;
      double worst = 0.0;
      for (; status.ok && t < 2.0; t += step) {
        status = test::runge_kutta_step(*formulation, t, step, x);
        static_cast<void>(formulation->after_step(t + step, x));
        status = status.ok ? formulation->observe(t + step, x, observation) : status;
        worst = status.ok ? std::max(worst, std::abs(observation.energies.total() - start)) : worst;
      }
      fmt::print("{}, steps of {} s: energy within {:.1e} J up to {:.3f} s, {}\n", key, step, worst, t,
                 status.message());
      EXPECT_FALSE(status.ok) << key << " " << step;
      EXPECT_FALSE(status.joint.empty());
      EXPECT_LT(t, 0.7) << key << " " << step;
      // Of the steps up to the fold; the other assembly has 17 J more.
      EXPECT_LT(worst, 0.1) << key << " " << step;
      // All that follows fails until another state is packed.
      std::vector<double> xdot(x.size());
      EXPECT_EQ(formulation->rhs(t, x, xdot).message(), formulation->rhs(t, x, xdot).message());
      EXPECT_TRUE(formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x).ok);
      EXPECT_TRUE(formulation->rhs(0.0, x, xdot).ok);
    }
  }
}

TEST(assembly_branch, a_loop_that_turns_far_within_a_step_stays_in_its_assembly) {
  const Mechanism mechanism = test::loop_on_a_table();
  ClosedDynamics dynamics(mechanism, test::closed_settings(mechanism, true));
  ASSERT_TRUE(dynamics.set_positions(view(mechanism.q0())).ok);
  Eigen::VectorXd q = mechanism.q0();
  for (int i = 1; i <= 40; ++i) {
    q[0] = 0.2 * i;  // the table, up to 8 rad
    EXPECT_FALSE(dynamics.passes_singular_position(view(mechanism.q0()), view(q))) << q[0] << " rad";
  }
  // The other assembly: coupler and rocker mirrored about the line between their outer pins (0, 1) and (3, 0).
  RhsStatus status;
  q = mechanism.q0();
  q[2] = std::atan2(-1.0, 3.0) * 2.0 - (q[1] + q[2]) - q[1];
  q[3] = -q[3];
  status = dynamics.close_positions(view(q), view(mechanism.q0()));
  ASSERT_TRUE(status.ok) << status.message();
  for (const double turned : {0.0, 1.0}) {
    q[0] = turned;
    EXPECT_TRUE(dynamics.passes_singular_position(view(mechanism.q0()), view(q))) << turned << " rad";
  }
}

}  // namespace
}  // namespace mbdbench
