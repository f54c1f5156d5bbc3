// Trajectories of all formulations agree: random trees and closed mechanisms, compared by marker positions and
// velocities, since coordinates of momentum and velocity formulations drift along a joint's turns alike but quaternions
// may change sign.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "formulations/projection/projected_formulation.hpp"
#include "formulations/registry.hpp"
#include "integrators/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/formulations/comparison.hpp"

namespace mbdbench {
namespace {

class IgnoringSink final : public OdeSink {
 public:
  bool sample(double /*t*/, std::span<const double> /*x*/) override { return true; }
};

Observation after_one_second(const FormulationEntry& entry, const Mechanism& mechanism,
                             std::string_view options_text = {}, bool project = false) {
  auto formulation = make_formulation(formulation_registry(), entry, mechanism,
                                      options_text.empty() ? test::precise_options(entry.key) : options_text);
  if (project) {
    formulation = std::make_unique<ProjectedFormulation>(std::move(formulation), 1e-12, best_instruction_set());
  }
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
  for (const char* name :
       {"random_tree:seed=61,bodies=6", "random_tree:seed=62,bodies=10,motions=1", "pendulum_xyz:8", "random_closed",
        "random_closed:seed=64,bodies=8,cuts=1", "four_bar", "loop8", "double_loop", "slider_crank"}) {
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
  // dense-momentum, hdca, dca and bae-haug refuse none of the nine.
  EXPECT_GE(compared, 36);
}

void expect_same(const Observation& actual, const Observation& expected, const std::string& where) {
  ASSERT_EQ(actual.marker_positions.size(), expected.marker_positions.size());
  for (std::size_t i = 0; i < expected.marker_positions.size(); ++i) {
    EXPECT_LT((actual.marker_positions[i] - expected.marker_positions[i]).norm(), 1e-7) << where;
    EXPECT_LT((actual.marker_velocities[i] - expected.marker_velocities[i]).norm(), 1e-6) << where;
  }
}

TEST(TrajectoryAgreement, OptionsOfTheGaugeTheAxesAndTheProjectionDoNotChangeTheMotion) {
  for (const char* name : {"double_loop", "slider_crank", "random_closed"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    const Observation expected = after_one_second(*find_formulation(formulation_registry(), "dense"), mechanism);
    const FormulationEntry& hdca = *find_formulation(formulation_registry(), "hdca");
    const FormulationEntry& dca = *find_formulation(formulation_registry(), "dca");
    for (const char* options : {"cut_axes=body", "ground=leaf", "gauge=leak", "gauge=reset", "feedback=5"}) {
      expect_same(after_one_second(hdca, mechanism, options), expected, fmt::format("hdca {} on {}", options, name));
    }
    for (const char* options : {"ground=leaf", "baumgarte_alpha=5,baumgarte_beta=5"}) {
      expect_same(after_one_second(dca, mechanism, options), expected, fmt::format("dca {} on {}", options, name));
    }
    for (const FormulationEntry* entry : {&hdca, &dca}) {
      const Observation projected = after_one_second(*entry, mechanism, {}, true);
      expect_same(projected, expected, fmt::format("{} projected on {}", entry->key, name));
      EXPECT_LT(projected.position_residual, 1e-11) << entry->key << " on " << name;
    }
  }
}

/// The mechanism with another joint as its cut: tree joints lead away from the ground, so that some change their
/// direction. For revolute joints and a start from rest.
MechanismDescription recut(MechanismDescription description, std::size_t cut) {
  for (std::size_t j = 0; j < description.joints.size(); ++j) {
    description.joints[j].cut = j == cut;
    description.joints[j].v0.clear();
  }
  std::vector<std::string> reached = {kGround};
  const auto is_reached = [&](const std::string& name) {
    return std::find(reached.begin(), reached.end(), name) != reached.end();
  };
  for (std::size_t pass = 0; pass < description.joints.size(); ++pass) {
    for (JointDescription& joint : description.joints) {
      if (joint.cut || is_reached(joint.a) == is_reached(joint.b)) {
        continue;
      }
      if (is_reached(joint.b)) {
        std::swap(joint.a, joint.b);
        std::swap(joint.frame_a, joint.frame_b);
        for (double& value : joint.q0) {
          value = -value;
        }
      }
      reached.push_back(joint.b);
    }
  }
  return description;
}

TEST(TrajectoryAgreement, TheChoiceOfTheCutJointDoesNotMatter) {
  for (const char* name : {"four_bar", "loop8"}) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), name);
    const Observation expected = after_one_second(*find_formulation(formulation_registry(), "dense"), mechanism);
    for (std::size_t cut = 0; cut < mechanism.description().joints.size(); ++cut) {
      const Mechanism other(recut(mechanism.description(), cut));
      ASSERT_EQ(other.cut_joints().size(), 1U);
      ASSERT_EQ(other.cut_joints().front().name, mechanism.description().joints[cut].name);
      for (const char* key : {"hdca", "dca"}) {
        expect_same(after_one_second(*find_formulation(formulation_registry(), key), other), expected,
                    fmt::format("{} on {} cut at {}", key, name, other.cut_joints().front().name));
      }
    }
  }
}

}  // namespace
}  // namespace mbdbench
