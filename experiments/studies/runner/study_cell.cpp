#include "experiments/studies/runner/study_cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <new>
#include <optional>
#include <stdexcept>

#include "experiments/files/write_error.hpp"
#include "experiments/monitors/accuracy_limits.hpp"
#include "experiments/monitors/run_accuracy.hpp"
#include "experiments/studies/runner/step_monitor.hpp"
#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench::studies {
namespace {

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
    const auto marker = run.mechanism->mechanism->find_marker(observer.subject);
    if (!marker) {
      return Measured::refused(fmt::format("the mechanism has no marker '{}'", observer.subject));
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
    case Quantity::inaccuracies:
      return count(run.inaccuracies);
    default:
      return observer.at_steps() ? run.monitor->measured(observer) : error_of(run, observer);
  }
}

/// \returns what is followed at the steps, of the numbers and of the curves.
std::vector<Observer> asked_at_steps(const Study& study, const std::vector<Observer>& curves) {
  std::vector<Observer> asked = curves;
  std::copy_if(study.observers.begin(), study.observers.end(), std::back_inserter(asked),
               [](const Observer& observer) { return observer.at_steps(); });
  return asked;
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

CellResult observed_run(const Study& study, const CellKey& cell, StudyCase& prepared, const StudyReference* reference,
                        const std::filesystem::path& output) {
  const std::vector<Observer> curves = study.curves(cell);
  const std::vector<Observer> asked = asked_at_steps(study, curves);
  StepMonitor monitor(prepared.formulation(), asked);
  if (!curves.empty()) {
    monitor.write_to(output / study.curve_file(cell), curves);
  }
  PoseSampler poses(prepared.formulation());
  std::vector<OdeSink*> sinks;
  if (!asked.empty()) {
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
  monitor.finish();
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
                    const StudyReference* reference, const std::filesystem::path& output) {
  StudyCase prepared(registries, study.mechanisms[cell.mechanism], study.variants[cell.variant]);
  if (!prepared.can_run()) {
    return all_observers(study, prepared.obstacle());
  }
  try {
    return observed_run(study, cell, prepared, reference, output);
  } catch (const WriteError&) {
    throw;  // Nothing is wrong with the run: it must not be kept as a failure.
  } catch (const std::bad_alloc&) {
    return all_observers(study, Measured::failed("needs more memory than there is"));
  } catch (const std::exception& error) {
    return all_observers(study, Measured::failed(error.what()));
  }
}

}  // namespace mbdbench::studies
