// Invariants that know nothing of how a formulation works: energy and momentum along its own right-hand side.
#include <gtest/gtest.h>

#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

/// Total energy at x + s xdot; quaternions need not be unit.
double energy_at(Formulation& formulation, const std::vector<double>& x, const std::vector<double>& xdot, double s,
                 Observation& observation) {
  std::vector<double> moved = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    moved[i] += s * xdot[i];
  }
  EXPECT_TRUE(formulation.observe(0.0, moved, observation).ok);
  return observation.energies.total();
}

TEST(conservation, energy_rate_is_zero_along_the_right_hand_side) {
  // Gravity and springs only; closed loops included for the formulations that take them: their reactions do no work.
  const std::vector<std::string> names = {"pendulum:16",
                                          "pendulum_yz:12",
                                          "pendulum_xyz:12",
                                          "balanced_tree",
                                          "caterpillar",
                                          "random_tree:seed=21,bodies=10,loads=0",
                                          "random_tree:seed=22,bodies=10,loads=0",
                                          "random_closed:seed=23,bodies=9,cuts=2,loads=0",
                                          "random_closed:seed=24,bodies=12,cuts=3,loads=0",
                                          "random_closed:seed=15,bodies=17,cuts=1,loads=0"};
  for (const std::string& name : names) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    RandomSource random(31);
    // Closed mechanisms keep their consistent state; trees take any velocity.
    const Eigen::VectorXd u =
        mechanism.constrained() ? mechanism.u0() : test::random_vector(mechanism.u_size(), random);
    for (const FormulationEntry& entry : formulation_registry()) {
      if (!entry.refusal(mechanism).empty()) {
        continue;
      }
      const auto formulation = test::make(entry.key, mechanism);
      const test::Evaluation state = test::evaluate_at(*formulation, 0.0, mechanism.q0(), u);
      ASSERT_TRUE(state.status.ok) << state.status.message();
      Observation observation;
      const double s = 1e-4;
      const auto energy = [&](double step) { return energy_at(*formulation, state.x, state.xdot, step, observation); };
      const double rate = (8.0 * (energy(s) - energy(-s)) - (energy(2.0 * s) - energy(-2.0 * s))) / (12.0 * s);
      // What flows between kinetic and potential energy sets the scale. The differences carry rounding eps E / s (1e-10
      // for energies of 100 J, more where momenta are solved for velocities) and truncation s^4; a wrong term gives a
      // share near 1.
      ASSERT_TRUE(formulation->observe(0.0, state.x, observation).ok);
      const double scale = std::max(1.0, observation.energies.kinetic + std::abs(observation.energies.potential));
      EXPECT_LT(std::abs(rate) / scale, 1e-8) << entry.key << " on " << name;
    }
  }
}

TEST(conservation, free_floating_mechanisms_keep_their_momentum) {
  MechanismDescription description =
      make_mechanism(mechanism_registry(), "random_tree:seed=41,bodies=8,loads=0").description();
  description.gravity.setZero();
  // All joints to the ground become free joints.
  for (JointDescription& joint : description.joints) {
    if (joint.a == kGround) {
      joint.type = JointType::free;
      joint.q0 = {1.0, 0.0, 0.0, 0.0, 0.3, -0.2, 0.1};
      joint.v0 = {0.4, -0.3, 0.8, 1.0, 0.5, -0.7};
    }
  }
  const Mechanism mechanism(description);
  for (const FormulationEntry& entry : formulation_registry()) {
    if (!test::takes_trees(entry, mechanism)) {
      continue;
    }
    const auto formulation = test::make(entry.key, mechanism);
    const test::Evaluation state = test::evaluate_at(*formulation, 0.0, mechanism.q0(), mechanism.u0());
    ASSERT_TRUE(state.status.ok) << entry.key << ": " << state.status.message();
    Observation ahead;
    Observation behind;
    const double s = 1e-5;
    energy_at(*formulation, state.x, state.xdot, s, ahead);
    energy_at(*formulation, state.x, state.xdot, -s, behind);
    const Vec3 force = (ahead.linear_momentum - behind.linear_momentum) / (2.0 * s);
    const Vec3 torque = (ahead.angular_momentum - behind.angular_momentum) / (2.0 * s);
    // Momenta of order 10: rounding 1e-15 * 10 / 1e-5 and truncation 1e-10 times third derivatives of order 100.
    EXPECT_LT(force.norm(), 1e-7) << entry.key;
    EXPECT_LT(torque.norm(), 1e-7) << entry.key;
    EXPECT_GT(ahead.linear_momentum.norm(), 0.1);
  }
}

TEST(conservation, rates_of_the_constraints_vanish_along_the_right_hand_side) {
  // Phi and Phi' by central differences along (q', u'), for formulations that take closed loops.
  for (const char* name : {"random_closed:seed=51,bodies=8,cuts=2", "random_closed:seed=52,bodies=12,cuts=3",
                           "random_tree:seed=53,bodies=8,motions=3"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    ASSERT_TRUE(mechanism.constrained());
    for (const FormulationEntry& entry : formulation_registry()) {
      if (!entry.refusal(mechanism).empty()) {
        continue;
      }
      const auto formulation = test::make(entry.key, mechanism);
      const test::Evaluation state = test::evaluate_at(*formulation, 0.0, mechanism.q0(), mechanism.u0());
      ASSERT_TRUE(state.status.ok);
      const double s = 1e-5;
      Kinematics kinematics(mechanism);
      Eigen::VectorXd q(mechanism.q_size());
      Eigen::VectorXd u(mechanism.u_size());
      const auto residuals = [&](double step) {
        std::vector<double> moved = state.x;
        for (std::size_t i = 0; i < moved.size(); ++i) {
          moved[i] += step * state.xdot[i];
        }
        EXPECT_TRUE(formulation->unpack(step, moved, view(q), view(u)).ok);
        kinematics.set_positions(view(q));
        kinematics.set_velocities(view(u));
        PrescribedMotions motions(mechanism);
        motions.evaluate(step);
        Eigen::VectorXd both(2 * mechanism.constraint_size());
        const auto rows = static_cast<std::size_t>(mechanism.constraint_size());
        constraint_residual(kinematics, view(q), motions.positions(), view(both).first(rows));
        constraint_rate_residual(kinematics, view(u), motions.velocities(), view(both).subspan(rows));
        return both;
      };
      const Eigen::VectorXd rate = (residuals(s) - residuals(-s)) / (2.0 * s);
      // Rounding 1e-15 / 1e-5 times velocities of order 10, truncation s^2 times third rates of order 100.
      EXPECT_LT(rate.lpNorm<Eigen::Infinity>(), 1e-7) << entry.key << " on " << name;
    }
  }
}

}  // namespace
}  // namespace mbdbench
