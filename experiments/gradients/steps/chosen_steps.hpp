#pragma once
/// \file
/// The steps of a run that an adaptive integrator takes.
///
/// The run goes from landing to landing, each time by the integrator of the method's name, whose first step is then the
/// larger of the last two (the last one was cut so that it ends there). Its largest step is that of the whole run.
///
/// Cost: a run of the integrator, rejected steps among it; 16 bytes a step.
#include <functional>
#include <span>
#include <vector>

#include "experiments/gradients/steps/step_method.hpp"
#include "experiments/gradients/steps/step_times.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench::gradients {

struct StepTolerances {
  double relative = 1e-6;
  double absolute = 1e-6;
};

/// \returns the times at which steps shall end, in their order: those given, kinks of forces in the run, and the run's
/// two ends. Times within StepTimes::kNearLanding of the run's length of one another are one.
/// \throws std::invalid_argument for times of the run that are equal or not finite, and for a time given outside
std::vector<double> ordered_landings(double t0, double tf, std::span<const double> land_on,
                                     std::span<const double> kinks);

/// \param landings as ordered_landings has them \param x0 state at the first of them \param most steps that may be
/// taken \param watch called now and then; may be empty
/// \throws RunFailure where the integrator does not reach the end; std::invalid_argument beyond `most` steps
StepTimes chosen_steps(Formulation& formulation, const StepMethod& method, const StepTolerances& tolerances,
                       std::span<const double> landings, std::span<const double> x0, double most,
                       const std::function<void()>& watch);

}  // namespace mbdbench::gradients
