#pragma once
/// \file
/// A mechanism with the numbers of one evaluation, its formulation, and what steps and velocities need: shared by the
/// ways through a run.
#include <memory>
#include <utility>
#include <vector>

#include "experiments/gradients/differentiable_run.hpp"
#include "experiments/gradients/steps/step_tape.hpp"
#include "experiments/gradients/varied_springs.hpp"
#include "experiments/gradients/velocity_map.hpp"
#include "formulations/registry.hpp"

namespace mbdbench::gradients {

struct DifferentiableRun::Placed {
  Placed(Mechanism varied, const FormulationRegistry& registry, const FormulationChoice& choice,
         const StepMethod& method, const VariedNumbers& numbers)
      : mechanism(std::move(varied)),
        formulation(make_formulation(registry, *choice.entry, mechanism, choice.options)),
        springs(mechanism, numbers, formulation->cut_references()),
        stepper(*formulation, method, springs.wanted_rates()),
        map(*formulation),
        x0(formulation->state_size()),
        q_(static_cast<std::size_t>(mechanism.q_size())),
        u_(static_cast<std::size_t>(mechanism.u_size())) {}

  /// \returns the state as an objective sees it. \throws RunFailure
  StepState seen(std::size_t step, double t, std::span<const double> x, bool velocities);

  Mechanism mechanism;
  std::unique_ptr<Formulation> formulation;
  VariedSprings springs;
  Stepper stepper;
  VelocityMap map;
  RunStart start;
  std::vector<double> x0;
  StepTimes times;  ///< empty until DifferentiableRun::stepped

 private:
  std::vector<double> q_;
  std::vector<double> u_;
};

/// \returns the value of an objective. \throws std::invalid_argument where it is not finite
double finite_value(double value);
/// \throws std::invalid_argument naming the first derivative that is no finite number
void require_finite(std::span<const double> gradient);

/// How often a watch is asked.
inline constexpr std::size_t kStepsBetweenWatches = 64;

template <typename Keep>
std::vector<double> DifferentiableRun::forward(Placed& run, const Keep& keep) {
  std::vector<double> x = run.x0;
  std::vector<double> x_new(x.size());
  StepTape last(1, run.stepper.sizes());
  for (std::size_t k = 0; k < run.times.count(); ++k) {
    if (watch_ && k % kStepsBetweenWatches == 0) {
      watch_();
    }
    run.stepper.step(run.times.step(k), x, last.record(0), x_new);
    keep(k, std::span<const double>(x), last.record(0));
    std::swap(x, x_new);
  }
  return x;
}

}  // namespace mbdbench::gradients
