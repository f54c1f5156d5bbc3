/// \file
/// Multistep methods on formulations that change the state after nearly every step: projections on the constraints,
/// quaternions put back to unit length. The history is kept, and the motion is right.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "experiments/simulation/simulation.hpp"
#include "formulations/projection/projected_formulation.hpp"
#include "formulations/registry.hpp"
#include "integrators/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"

namespace mbdbench {
namespace {

constexpr double kTolerance = 1e-6;

struct ProjectedCase {
  const char* name;
  const char* mechanism;
  const char* formulation;
  bool project;  ///< by ProjectedFormulation
};

struct FinalState {
  OdeStatistics statistics;
  Observation observation;
};

FinalState after_two_seconds(const ProjectedCase& problem, std::string_view integrator, double tolerance) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), problem.mechanism);
  auto formulation = make_formulation(formulation_registry(),
                                      *find_formulation(formulation_registry(), problem.formulation), mechanism);
  if (problem.project) {
    formulation = std::make_unique<ProjectedFormulation>(std::move(formulation), 1e-10, best_instruction_set());
  }
  SimulationOptions options;
  options.ode.relative_tolerance = tolerance;
  options.absolute_tolerance = tolerance;
  options.ode.max_evaluations = 100000;
  NullSink sink;
  const SimulationResult result = simulate(*formulation, *find_integrator(integrator_registry(), integrator),
                                           std::vector{0.0, 2.0}, initial_state(*formulation, 0.0), options, sink);
  EXPECT_TRUE(result.succeeded()) << integrator << ": " << result.message();
  FinalState end{result.ode.statistics, {}};
  EXPECT_TRUE(formulation->observe(result.ode.t, result.ode.x, end.observation).ok);
  return end;
}

class ProjectedMultistep : public testing::TestWithParam<ProjectedCase> {};

TEST_P(ProjectedMultistep, KeepsItsHistoryAndTheMotion) {
  const ProjectedCase& problem = GetParam();
  const FinalState reference = after_two_seconds(problem, "ode45", 1e-11);
  const FinalState one_step = after_two_seconds(problem, "ode45", kTolerance);
  ASSERT_FALSE(reference.observation.marker_positions.empty());
  for (const char* integrator : {"ode113", "ode15s", "ode15s-bdf", "cvode-adams", "cvode-bdf"}) {
    SCOPED_TRACE(integrator);
    const FinalState end = after_two_seconds(problem, integrator, kTolerance);
    // Histories that restarted at every change took 20 to 600 times the evaluations of ode45; kept, at most 1.2 times.
    EXPECT_LT(end.statistics.nfevals, 2 * one_step.statistics.nfevals);
    // Errors of a step are 1e-6 of coordinates of some metres at most, and some hundred steps add up: 8e-5 at most.
    for (std::size_t i = 0; i < reference.observation.marker_positions.size(); ++i) {
      EXPECT_LT((end.observation.marker_positions[i] - reference.observation.marker_positions[i]).norm(), 5e-4);
    }
    if (problem.project) {
      EXPECT_LE(end.observation.scaled_position, 1e-10);
      // Rates are granted 1e-10 of the motion's own rate, below 10/s here.
      EXPECT_LE(end.observation.scaled_velocity, 1e-9);
    }
  }
}

/// Andrews' squeezer: stiff, fast, and projected after many steps. Histories that restarted took 8 to 27 times the
/// evaluations of runs without projections.
TEST(ProjectedMultistepOfStiffLoops, TakesNoMoreThanWithoutProjections) {
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "squeezer");
  const auto evaluations = [&](const char* key, const char* choice) {
    const auto formulation =
        make_formulation(formulation_registry(), *find_formulation(formulation_registry(), key), mechanism, choice);
    SimulationOptions options;
    options.ode.relative_tolerance = 1e-10;
    options.absolute_tolerance = 1e-10;
    options.ode.max_evaluations = 100000;
    NullSink sink;
    const SimulationResult result = simulate(*formulation, *find_integrator(integrator_registry(), "cvode-bdf"),
                                             std::vector{0.0, 0.03}, initial_state(*formulation, 0.0), options, sink);
    EXPECT_TRUE(result.succeeded()) << key << ": " << result.message();
    return result.ode.statistics.nfevals;
  };
  const std::size_t plain = evaluations("dca", "projection=off");
  for (const char* key : {"dca", "dense", "naudet-acc"}) {
    EXPECT_LT(evaluations(key, "projection=auto"), plain + plain / 2) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, ProjectedMultistep,
                         testing::Values(ProjectedCase{"AbsoluteCoordinates", "pendulum:1", "dca-alm-proj", false},
                                         ProjectedCase{"FourBar", "four_bar", "dca", true},
                                         ProjectedCase{"Quaternions", "random_tree:seed=5,bodies=3", "dca", false}),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace mbdbench
