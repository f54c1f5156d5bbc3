#include "experiments/studies/study_cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>

#include "experiments/accuracy_limits.hpp"
#include "experiments/run_accuracy.hpp"
#include "mechanisms/model/model_error.hpp"

namespace mbdbench::studies {
namespace {

/// Largest energy error, violations and impulses at accepted steps, which carry no error of an interpolation.
class StepMonitor : public OdeSink {
 public:
  explicit StepMonitor(Formulation& formulation) : formulation_(formulation) {}

  bool sample(double t, std::span<const double> x) override {
    if (!initial_energy_) {
      observe(t, x);
    }
    return true;
  }
  bool step(double t, std::span<const double> x, const OdeStatistics& /*so_far*/) override {
    observe(t, x);
    return true;
  }

  [[nodiscard]] double energy_error() const { return energy_error_; }
  [[nodiscard]] double position() const { return position_; }
  [[nodiscard]] double velocity() const { return velocity_; }
  [[nodiscard]] double sigma() const { return sigma_; }

 private:
  // Not std::max: it drops a NaN, and a run that is lost must not look perfect.
  static void raise(double& largest, double value) { largest = value <= largest ? largest : value; }

  void observe(double t, std::span<const double> x) {
    const RhsStatus status = formulation_.observe(t, x, observation_);
    if (!status.ok) {
      throw std::runtime_error(fmt::format("the state at t = {} cannot be observed: {}", t, status.message()));
    }
    const double energy = observation_.energies.total();
    initial_energy_ = initial_energy_.value_or(energy);
    raise(energy_error_, std::abs(energy - *initial_energy_));
    raise(position_, observation_.position_residual);
    raise(velocity_, observation_.velocity_residual);
    raise(sigma_, observation_.largest_sigma);
  }

  Formulation& formulation_;
  Observation observation_;
  std::optional<double> initial_energy_;
  double energy_error_ = 0.0;
  double position_ = 0.0;
  double velocity_ = 0.0;
  double sigma_ = 0.0;
};

/// What was found out in one run.
struct RunFindings {
  const StudyMechanism* mechanism = nullptr;
  SimulationResult result;
  const StepMonitor* monitor = nullptr;
  const StudyReference* reference = nullptr;
  std::optional<PoseDifferences> errors;
  std::size_t inaccuracies = 0;
};

Measured error_of(const RunFindings& run, const Observer& observer) {
  if (observer.quantity == Quantity::marker_error) {
    const auto marker = run.mechanism->mechanism->find_marker(observer.marker);
    if (!marker) {
      return Measured::refused(fmt::format("the mechanism has no marker '{}'", observer.marker));
    }
    return run.errors ? Measured::number(run.errors->markers[static_cast<std::size_t>(*marker)])
                      : Measured::refused(run.reference->failure);
  }
  if (!run.errors) {
    return Measured::refused(run.reference->failure);
  }
  return Measured::number(observer.quantity == Quantity::position_error ? run.errors->position
                                                                        : run.errors->orientation);
}

Measured measured_of(const RunFindings& run, const Observer& observer) {
  const auto count = [](std::size_t value) { return Measured::number(static_cast<double>(value)); };
  const OdeStatistics& counts = run.result.ode.statistics;
  switch (observer.quantity) {
    case Quantity::evaluations:
      return count(counts.nfevals);
    case Quantity::steps:
      return count(counts.nsteps);
    case Quantity::failed_attempts:
      return count(counts.nfailed);
    case Quantity::jacobians:
      return count(counts.npds);
    case Quantity::iterations:
      return count(counts.niterations);
    case Quantity::first_step:
      return Measured::number(run.result.ode.first_step);
    case Quantity::energy_error:
      return !run.mechanism->mechanism->exchanges_energy()
                 ? Measured::number(run.monitor->energy_error())
                 : Measured::refused("the energy is not kept: there is a load, a damper or a prescribed motion");
    case Quantity::position_drift:
    case Quantity::velocity_drift:
      if (!run.mechanism->mechanism->constrained()) {
        return Measured::refused("the mechanism has no constraints: an open chain or tree");
      }
      return Measured::number(observer.quantity == Quantity::position_drift ? run.monitor->position()
                                                                            : run.monitor->velocity());
    case Quantity::largest_sigma:
      return Measured::number(run.monitor->sigma());
    case Quantity::inaccuracies:
      return count(run.inaccuracies);
    default:
      return error_of(run, observer);
  }
}

bool needs_steps(const Study& study) {
  return std::any_of(study.observers.begin(), study.observers.end(), [](const Observer& observer) {
    return observer.quantity >= Quantity::energy_error && observer.quantity <= Quantity::largest_sigma;
  });
}

bool judges_accuracy(const Study& study) {
  return std::any_of(study.observers.begin(), study.observers.end(),
                     [](const Observer& observer) { return observer.quantity == Quantity::inaccuracies; });
}

CellResult all_observers(const Study& study, const Measured& measured) {
  CellResult result;
  for (const Observer& observer : study.observers) {
    if (!observer.timed() && !observer.of_right_hand_side()) {
      result[observer] = measured;
    }
  }
  return result;
}

CellResult observed_run(const Study& study, const CellKey& cell, StudyCase& prepared, const StudyReference* reference) {
  StepMonitor monitor(prepared.formulation());
  PoseSampler poses(prepared.formulation());
  std::vector<OdeSink*> sinks;
  if (needs_steps(study)) {
    sinks.push_back(&monitor);
  }
  RunAccuracy accuracy(prepared.formulation());
  if (judges_accuracy(study)) {
    sinks.push_back(&accuracy);
  }
  const bool compares = study.needs_reference() && reference != nullptr && reference->failure.empty();
  if (compares) {
    sinks.push_back(&poses);
  }
  SinkChain chain(sinks);
  RunFindings run;
  run.mechanism = &study.mechanisms[cell.mechanism];
  run.result = prepared.run(study, cell, chain, [&](double t, std::span<const double> x) {
    if (judges_accuracy(study)) {
      accuracy.reached(t, x);
    }
  });
  run.monitor = &monitor;
  run.reference = reference;
  if (!run.result.succeeded()) {
    return all_observers(study, Measured::failed(run.result.message()));
  }
  if (compares) {
    run.errors = differences(poses.poses(), reference->poses);
  }
  if (judges_accuracy(study)) {
    const Control& control = study.controls[cell.control];
    const auto tolerance =
        control.kind == ControlKind::tolerance ? std::optional<double>(control.value) : std::optional<double>();
    run.inaccuracies = inaccuracies(accuracy, accuracy_limits(accuracy, tolerance, {})).size();
  }
  CellResult result;
  for (const Observer& observer : study.observers) {
    if (!observer.timed() && !observer.of_right_hand_side()) {
      result[observer] = measured_of(run, observer);
    }
  }
  return result;
}

}  // namespace

StudyCase::StudyCase(const Registries& registries, const StudyMechanism& mechanism, const StudyVariant& variant) {
  const std::string refusal = variant.entry->refusal(*mechanism.mechanism);
  if (!refusal.empty()) {
    obstacle_ = Measured::refused(refusal);
    return;
  }
  try {
    formulation_ = make_formulation(registries.formulations, *variant.entry, *mechanism.mechanism, variant.options);
    x0_ = initial_state(*formulation_, 0.0);
  } catch (const ModelError& error) {
    obstacle_ = Measured::refused(error.what());
  } catch (const std::bad_alloc&) {
    obstacle_ = Measured::failed("needs more memory than there is");
  } catch (const std::exception& error) {
    obstacle_ = Measured::failed(error.what());
  }
}

SimulationResult StudyCase::run(const Study& study, const CellKey& cell, OdeSink& sink,
                                const std::function<void(double, std::span<const double>)>& step_reached) {
  const Control& control = study.controls[cell.control];
  SimulationOptions options;
  options.ode.max_evaluations = study.max_evaluations;
  options.step_reached = step_reached;
  if (control.kind == ControlKind::tolerance) {
    options.ode.relative_tolerance = control.value;
    options.absolute_tolerance = control.value;
  } else {
    options.ode.fixed_step = control.value;
  }
  return simulate(*formulation_, *study.integrators[cell.integrator],
                  sample_times(study.mechanisms[cell.mechanism].end, study.samples), x0_, options, sink);
}

CellResult run_cell(const Registries& registries, const Study& study, const CellKey& cell,
                    const StudyReference* reference) {
  StudyCase prepared(registries, study.mechanisms[cell.mechanism], study.variants[cell.variant]);
  if (!prepared.can_run()) {
    return all_observers(study, prepared.obstacle());
  }
  try {
    return observed_run(study, cell, prepared, reference);
  } catch (const std::bad_alloc&) {
    return all_observers(study, Measured::failed("needs more memory than there is"));
  } catch (const std::exception& error) {
    return all_observers(study, Measured::failed(error.what()));
  }
}

}  // namespace mbdbench::studies
