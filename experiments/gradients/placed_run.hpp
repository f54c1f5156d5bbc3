#pragma once
/// \file
/// A mechanism with the numbers of one evaluation, its formulation, and what steps and velocities need: shared by the
/// ways through a run.
#include <memory>
#include <utility>
#include <vector>

#include "experiments/gradients/differentiable_run.hpp"
#include "formulations/derivatives/lengthened_mechanism.hpp"
#include "formulations/registry.hpp"

namespace mbdbench::gradients {

/// A spring whose stiffness or damping is varied.
struct SpringTerm {
  std::size_t number;  ///< among those that are varied
  bool damping;
  std::size_t q;
  std::size_t u;
  double rest;
};

std::vector<SpringTerm> spring_terms(const Mechanism& mechanism, const VariedNumbers& numbers);

struct DifferentiableRun::Placed {
  Placed(Mechanism varied, const FormulationRegistry& registry, const FormulationChoice& choice,
         const StepMethod& method, const VariedNumbers& numbers)
      : mechanism(std::move(varied)),
        formulation(make_formulation(registry, *choice.entry, mechanism, choice.options)),
        springs(spring_terms(mechanism, numbers)),
        stepper(*formulation, method, damped_coordinates()),
        map(*formulation),
        x0(formulation->state_size()),
        q_(static_cast<std::size_t>(mechanism.q_size())),
        u_(static_cast<std::size_t>(mechanism.u_size())) {}

  /// \returns the state as an objective sees it. \throws RunFailure
  StepState seen(std::size_t step, double t, std::span<const double> x, bool velocities);

  /// \returns the coordinates whose rates are those of dampers that are varied.
  [[nodiscard]] std::vector<std::size_t> damped_coordinates() const;

  Mechanism mechanism;
  std::unique_ptr<Formulation> formulation;
  std::vector<SpringTerm> springs;
  Stepper stepper;
  VelocityMap map;
  RunStart start;
  std::vector<double> x0;

 private:
  std::vector<double> q_;
  std::vector<double> u_;
};

/// Whose derivatives those of a run are: its own, or, where lengths are varied, those of the mechanism with slides.
struct DifferentiableRun::Differentiated {
  Differentiated(const DifferentiableRun& owner, Placed& run);

  /// \returns a state of the run as one of this mechanism. Until it is asked again.
  std::span<const double> state(std::span<const double> x);
  /// Takes numbers over the run's q or u to their places here. \param first, all_first where they begin in states
  void spread(std::span<const double> own, std::size_t first, std::span<double> all, std::size_t all_first) const {
    for (std::size_t i = 0; i < own.size(); ++i) {
      all[places[first + i] - all_first] = own[i];
    }
  }
  /// And back.
  void gather(std::span<const double> all, std::size_t all_first, std::size_t first, std::span<double> own) const {
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i] = all[places[first + i] - all_first];
    }
  }
  [[nodiscard]] std::size_t size() const { return x0.size(); }
  [[nodiscard]] std::size_t q_size() const { return static_cast<std::size_t>(mechanism->q_size()); }
  [[nodiscard]] std::size_t u_size() const { return static_cast<std::size_t>(mechanism->u_size()); }

  std::unique_ptr<LengthenedMechanism> longer;  ///< nullptr: the run itself
  const Mechanism* mechanism;
  Formulation* formulation;
  VelocityMap* map;
  std::vector<SpringTerm> springs;  ///< with places here
  std::vector<std::size_t> places;  ///< of the components of a state of the run
  std::vector<std::size_t> bodies;  ///< likewise
  std::vector<double> x0;

 private:
  std::unique_ptr<Formulation> own_formulation_;
  std::unique_ptr<VelocityMap> own_map_;
  std::vector<double> state_;
};

/// \throws RunFailure where it is not ok
void require_run(const RhsStatus& status, double t);
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
  for (std::size_t k = 0; k < times_.count(); ++k) {
    if (watch_ && k % kStepsBetweenWatches == 0) {
      watch_();
    }
    run.stepper.step(times_.at(k), times_.size_of(k), x, last.record(0), x_new);
    keep(k, std::span<const double>(x), last.record(0));
    std::swap(x, x_new);
  }
  return x;
}

}  // namespace mbdbench::gradients
