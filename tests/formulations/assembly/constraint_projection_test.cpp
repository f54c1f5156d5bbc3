// Projection on the constraint manifold: quadratic convergence, mass-orthogonality against dense algebra, and as
// after_step of every formulation.
#include "formulations/assembly/constraint_projection.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "formulations/projection/projected_formulation.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

const char* const kClosedMechanisms[] = {"four_bar",
                                         "double_loop",
                                         "slider_crank",
                                         "random_closed",
                                         "random_closed:seed=5,bodies=7,cuts=3",
                                         "random_tree:seed=2,bodies=6,motions=2"};

/// A state off the constraints by 1e-3 in positions and by a random u.
struct Perturbed {
  explicit Perturbed(const Mechanism& mechanism, std::int64_t seed) {
    RandomSource random(seed);
    q = test::moved(mechanism, mechanism.q0(), test::random_vector(mechanism.u_size(), random), 1e-3);
    u = mechanism.u0() + test::random_vector(mechanism.u_size(), random);
  }
  Eigen::VectorXd q;
  Eigen::VectorXd u;
};

TEST(constraint_projection, positions_converge_quadratically_to_rounding) {
  for (const char* key : kClosedMechanisms) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    Perturbed state(mechanism, 3);
    ConstraintProjection projection(mechanism, best_instruction_set());
    const ProjectionOutcome outcome = projection.project_positions(0.0, view(state.q), 1e-13);
    ASSERT_TRUE(outcome.status.ok) << key;
    EXPECT_GT(outcome.before, 1e-6) << key;
    EXPECT_TRUE(outcome.reached) << key << ": " << outcome.after;
    // 1e-3, 1e-6, 1e-12, then rounding: linear convergence would take tens of steps.
    EXPECT_LE(outcome.iterations, 5) << key;
    ConstraintObserver observer(mechanism);
    Kinematics kinematics(mechanism);
    kinematics.set_positions(view(state.q));
    kinematics.set_velocities(view(state.u));
    EXPECT_LE(observer.evaluate(0.0, view(state.q), view(state.u), kinematics).position, 2e-13) << key;
  }
}

TEST(constraint_projection, velocities_move_by_a_combination_of_constraint_impulses) {
  for (const char* key : kClosedMechanisms) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    const Perturbed state(mechanism, 4);
    ConstraintProjection projection(mechanism, best_instruction_set());
    Eigen::VectorXd u = state.u;
    const ProjectionOutcome outcome = projection.project_velocities(0.0, view(mechanism.q0()), view(u), 1e-13);
    ASSERT_TRUE(outcome.status.ok) << key;
    EXPECT_EQ(outcome.iterations, 1) << key;
    EXPECT_LE(outcome.after, 1e-12) << key;
    DenseDynamics dynamics(mechanism, nullptr);
    ASSERT_TRUE(dynamics.set_positions(0.0, view(mechanism.q0())).ok);
    // M (u - u*) lies in the range of Phi_q^T: it does no work on what the constraints leave free.
    const Eigen::VectorXd impulse = dynamics.mass_matrix() * (u - state.u);
    const Eigen::MatrixXd transposed = dynamics.jacobians().constraints().transpose();
    const Eigen::VectorXd explained = transposed * transposed.completeOrthogonalDecomposition().solve(impulse).eval();
    EXPECT_LT((impulse - explained).norm(), 1e-11 * std::max(1.0, impulse.norm())) << key;
  }
}

TEST(constraint_projection, a_start_far_from_closure_never_ends_worse) {
  // All joints at zero: the chain hangs stretched, the farthest from its closed position and singular.
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "four_bar");
  Eigen::VectorXd q = mechanism.q0();
  q.setZero();
  ConstraintProjection projection(mechanism, best_instruction_set());
  const ProjectionOutcome outcome = projection.project_positions(0.0, view(q), 1e-13);
  EXPECT_TRUE(outcome.status.ok);
  EXPECT_LE(outcome.after, outcome.before);
  EXPECT_TRUE(q.allFinite());
}

TEST(constraint_projection, projected_formulations_keep_the_constraints_after_a_step) {
  for (const char* key : kClosedMechanisms) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    for (const FormulationEntry& entry : formulation_registry()) {
      if (!entry.refusal(mechanism).empty()) {
        continue;
      }
      const Perturbed state(mechanism, 6);
      ProjectedFormulation formulation(test::make(entry.key, mechanism), 1e-12, best_instruction_set());
      std::vector<double> x(formulation.state_size());
      ASSERT_TRUE(formulation.pack(0.0, view(state.q), view(state.u), x).ok) << entry.key << " on " << key;
      Observation observation;
      ASSERT_TRUE(formulation.observe(0.0, x, observation).ok);
      // States of reduced coordinates keep the constraints by themselves.
      const bool violated = std::max(observation.position_residual, observation.velocity_residual) > 1e-11;
      EXPECT_EQ(formulation.after_step(0.0, x), violated) << entry.key << " on " << key;
      ASSERT_TRUE(formulation.observe(0.0, x, observation).ok);
      EXPECT_LE(observation.position_residual, 2e-12) << entry.key << " on " << key;
      EXPECT_LE(observation.velocity_residual, 2e-11) << entry.key << " on " << key;
      EXPECT_FALSE(formulation.after_step(0.0, x)) << entry.key << " on " << key << ": nothing left to do";
    }
  }
}

}  // namespace
}  // namespace mbdbench
