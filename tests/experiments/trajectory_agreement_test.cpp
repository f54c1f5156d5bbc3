// Trajectories of all formulations agree: random trees and closed mechanisms, compared by marker positions and
// velocities, since coordinates of momentum and velocity formulations drift along a joint's turns alike but quaternions
// may change sign.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formulations/registry.hpp"
#include "integrators/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"

namespace mbdbench {
namespace {

class IgnoringSink final : public OdeSink {
 public:
  bool sample(double /*t*/, std::span<const double> /*x*/) override { return true; }
};

Observation after_one_second(const FormulationEntry& entry, const Mechanism& mechanism) {
  const auto formulation = make_formulation(formulation_registry(), entry, mechanism);
  std::vector<double> x0(formulation->state_size());
  EXPECT_TRUE(formulation
                  ->pack(0.0, {mechanism.q0().data(), static_cast<std::size_t>(mechanism.q_size())},
                         {mechanism.u0().data(), static_cast<std::size_t>(mechanism.u_size())}, x0)
                  .ok);
  OdeSystem system;
  system.size = x0.size();
  system.rhs = [&](double t, std::span<const double> x, std::span<double> xdot) {
    return formulation->rhs(t, x, xdot).message();
  };
  system.after_step = [&](double t, std::span<double> x) { return formulation->after_step(t, x); };
  OdeOptions options;
  options.relative_tolerance = 1e-11;
  options.absolute_tolerance = {1e-11};
  IgnoringSink sink;
  const std::vector<double> tspan = {0.0, 1.0};
  const OdeResult result = find_integrator(integrator_registry(), "ode45")->solve(system, tspan, x0, options, sink);
  EXPECT_EQ(result.status, OdeStatus::ok) << entry.key << ": " << result.message;
  Observation observation;
  EXPECT_TRUE(formulation->observe(result.t, result.x, observation).ok);
  return observation;
}

TEST(TrajectoryAgreement, OfAllFormulationsOnTreesAndClosedMechanisms) {
  int compared = 0;
  for (const char* name : {"random_tree:seed=61,bodies=6", "random_tree:seed=62,bodies=10,motions=1", "pendulum_xyz:8",
                           "random_closed", "random_closed:seed=64,bodies=8,cuts=1"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    const Observation expected = after_one_second(*find_formulation(formulation_registry(), "dense"), mechanism);
    ASSERT_FALSE(expected.marker_positions.empty()) << name;
    for (const FormulationEntry& entry : formulation_registry()) {
      if (entry.key == "dense" || !entry.refusal(mechanism).empty()) {
        continue;
      }
      const Observation actual = after_one_second(entry, mechanism);
      for (std::size_t i = 0; i < expected.marker_positions.size(); ++i) {
        // Errors of 1e-11 a step grow with a few hundred steps and by less than a hundredfold in one second.
        EXPECT_LT((actual.marker_positions[i] - expected.marker_positions[i]).norm(), 1e-7)
            << entry.key << " on " << name;
        EXPECT_LT((actual.marker_velocities[i] - expected.marker_velocities[i]).norm(), 1e-6)
            << entry.key << " on " << name;
        EXPECT_GT(expected.marker_velocities[i].norm(), 1e-3) << name << " must move";
      }
      ++compared;
    }
  }
  EXPECT_GE(compared, 8);
}

}  // namespace
}  // namespace mbdbench
