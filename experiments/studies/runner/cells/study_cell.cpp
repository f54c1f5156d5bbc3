#include "experiments/studies/runner/cells/study_cell.hpp"

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
#include "experiments/simulation/time_span.hpp"
#include "experiments/studies/runner/observation/output_times.hpp"
#include "experiments/studies/runner/observation/step_limits.hpp"
#include "experiments/studies/runner/observation/step_monitor.hpp"
#include "experiments/studies/runner/run_findings.hpp"
#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench::studies {
namespace {

/// \returns the study's observers of one run that look at this mechanism.
std::vector<Observer> observers_of(const Study& study, const CellKey& cell) {
  const StudyMechanism& mechanism = study.mechanisms[cell.mechanism];
  std::vector<Observer> own;
  std::copy_if(study.observers.begin(), study.observers.end(), std::back_inserter(own),
               [&](const Observer& observer) { return observer.of_one_run() && mechanism.is_observed(observer); });
  if (own.empty()) {
    // Of a study of times alone: whether the run came through, without which nothing is timed.
    own.push_back({Quantity::steps, {}});
  }
  return own;
}

/// \returns what is followed at the steps, of the numbers and of the curves.
std::vector<Observer> asked_at_steps(const std::vector<Observer>& observers, const std::vector<Observer>& curves) {
  std::vector<Observer> asked = curves;
  std::copy_if(observers.begin(), observers.end(), std::back_inserter(asked),
               [](const Observer& observer) { return observer.at_steps() && observer.quantity != Quantity::state; });
  return asked;
}

bool stands_among(const std::vector<Observer>& observers, Quantity quantity) {
  return std::any_of(observers.begin(), observers.end(),
                     [&](const Observer& observer) { return observer.quantity == quantity; });
}

bool judges_accuracy(const std::vector<Observer>& observers) {
  return std::any_of(observers.begin(), observers.end(), [](const Observer& observer) {
    return observer.quantity >= Quantity::inaccuracies && observer.quantity <= Quantity::degrees_of_freedom;
  });
}

CellResult all_observers(const std::vector<Observer>& observers, const Measured& measured) {
  CellResult result;
  for (const Observer& observer : observers) {
    result[observer] = measured;
  }
  return result;
}

CellResult observed_run(const Registries& registries, const Study& study, const CellKey& cell, StudyCase& prepared,
                        const StudyReference* reference, const std::filesystem::path& output) {
  const std::vector<Observer> curves = study.curves(cell);
  const std::vector<Observer> observers = observers_of(study, cell);
  const std::vector<Observer> asked = asked_at_steps(observers, curves);
  StepMonitor monitor(prepared.formulation(), asked);
  if (!curves.empty()) {
    monitor.write_to(output / study.curve_file(cell), curves, study.mechanisms[cell.mechanism].end, study.windows);
  }
  PoseSampler poses(prepared.formulation(),
                    sample_times(study.mechanisms[cell.mechanism].end, study.mechanisms[cell.mechanism].samples));
  std::vector<OdeSink*> sinks;
  if (!asked.empty()) {
    sinks.push_back(&monitor);
  }
  RunAccuracy accuracy(prepared.formulation());
  if (judges_accuracy(observers)) {
    sinks.push_back(&accuracy);
  }
  const bool compares = reference != nullptr && reference->failure.empty();
  if (compares) {
    sinks.push_back(&poses);
  }
  StateSamples samples;
  if (stands_among(observers, Quantity::sigma_difference_error)) {
    sinks.push_back(&samples);
  }
  SinkChain chain(sinks);
  RunFindings run;
  run.registries = &registries;
  run.samples = &samples.samples();
  run.mechanism = &study.mechanisms[cell.mechanism];
  run.result = prepared.run(study, cell, chain, [&](double t, std::span<const double> x) {
    if (judges_accuracy(observers)) {
      accuracy.reached(t, x);
    }
  });
  monitor.finish();
  run.monitor = &monitor;
  run.reference = reference;
  run.prepared = &prepared;
  if (!run.result.succeeded()) {
    CellResult result = all_observers(observers, Measured::failed(run.result.message()));
    if (const auto reached = result.find({Quantity::time_reached, {}}); reached != result.end()) {
      reached->second = {CellState::measured, run.result.ode.t, run.result.message()};
    }
    return result;
  }
  if (compares) {
    run.errors = differences(poses.poses(), reference->poses);
    run.poses = poses.poses();
  }
  if (stands_among(observers, Quantity::steps_limited) && study.integrators[cell.integrator]->key == "ode45") {
    run.limited = prepared.limited_shares(study, cell);
  }
  if (judges_accuracy(observers)) {
    const Control& control = study.controls[cell.control];
    const auto tolerance =
        control.kind == ControlKind::tolerance ? std::optional<double>(control.value) : std::optional<double>();
    run.inaccuracies = inaccuracies(accuracy, accuracy_limits(accuracy, tolerance, {})).size();
    const auto rows = accuracy.diagnostics().find("redundant_rows");
    run.redundant_rows = rows == accuracy.diagnostics().end() ? std::nullopt : std::optional(rows->second);
    const std::string& unknown = accuracy.work().failure();
    run.imbalance = unknown.empty() ? Measured::number(accuracy.largest_imbalance()) : Measured::refused(unknown);
  }
  CellResult result;
  for (const Observer& observer : observers) {
    result[observer] = measured_of(run, observer);
  }
  return result;
}

}  // namespace

StudyCase::StudyCase(const Registries& registries, const StudyMechanism& mechanism, const StudyVariant& variant,
                     ProcessExchange* processes) {
  const std::string refusal = refusal_of(*variant.entry, *mechanism.mechanism);
  if (!refusal.empty()) {
    obstacle_ = Measured::refused(refusal);
    return;
  }
  try {
    const auto& known = registries.formulations;
    formulation_ = processes == nullptr ? make_formulation(known, *variant.entry, *mechanism.mechanism, variant.options)
                                        : make_shared_formulation(known, *variant.entry, *mechanism.mechanism,
                                                                  variant.options, *processes);
    x0_ = initial_state(*formulation_, 0.0);
  } catch (const ModelError& error) {
    obstacle_ = Measured::refused(error.what());
  } catch (const std::bad_alloc&) {
    obstacle_ = Measured::failed("needs more memory than there is");
  } catch (const std::exception& error) {
    obstacle_ = Measured::failed(error.what());
  }
}

std::size_t StudyCase::evaluate_before(const Study& study, const CellKey& cell) {
  const int count = study.variants[cell.variant].evaluations_before;
  std::vector<double> xdot(x0_.size());
  for (int k = 0; k < count; ++k) {
    const RhsStatus status = formulation_->rhs(0.0, x0_, xdot);
    if (!status.ok) {
      throw std::runtime_error("the initial state cannot be evaluated: " + status.message());
    }
  }
  return static_cast<std::size_t>(count);
}

SimulationResult StudyCase::run(const Study& study, const CellKey& cell, OdeSink& sink,
                                const std::function<void(double, std::span<const double>)>& step_reached) {
  const StudyMechanism& mechanism = study.mechanisms[cell.mechanism];
  const OdeEntry& integrator = *study.integrators[cell.integrator];
  SimulationOptions options = options_of(study, cell);
  options.step_reached = step_reached;
  const std::size_t before = evaluate_before(study, cell);
  SimulationResult result = integrate(mechanism, integrator, options, sink);
  result.rhs_calls += before;
  return result;
}

SimulationResult StudyCase::integrate(const StudyMechanism& mechanism, const OdeEntry& integrator,
                                      const SimulationOptions& options, OdeSink& sink) {
  if (mechanism.output > 0.0) {
    OutputSink outputs(*formulation_, sink);
    return simulate(*formulation_, integrator, times_of({0.0, mechanism.end, mechanism.output}), x0_, options, outputs);
  }
  if (mechanism.restart > 0.0) {
    return simulate_with_restarts(*formulation_, integrator, times_of({0.0, mechanism.end, mechanism.restart}), x0_,
                                  options, sink);
  }
  return simulate(*formulation_, integrator, sample_times(mechanism.end, mechanism.samples), x0_, options, sink);
}

std::map<StateKind, double> StudyCase::limited_shares(const Study& study, const CellKey& cell) {
  const StudyMechanism& mechanism = study.mechanisms[cell.mechanism];
  return studies::limited_shares(*formulation_, *study.integrators[cell.integrator],
                                 sample_times(mechanism.end, mechanism.samples), x0_,
                                 ode_options(options_of(study, cell), formulation_->layout()));
}

SimulationOptions StudyCase::options_of(const Study& study, const CellKey& cell) const {
  const Control& control = study.controls[cell.control];
  SimulationOptions options;
  options.ode.max_evaluations = study.max_evaluations;
  options.ode.record_local_error = stands_among(study.observers, Quantity::local_error);
  const auto layout = formulation_->layout();
  const auto exists = [&](StateKind kind) {
    return std::any_of(layout.begin(), layout.end(), [&](const StateComponent& c) { return c.kind == kind; });
  };
  const StudyMechanism& mechanism = study.mechanisms[cell.mechanism];
  options.jacobian = mechanism.jacobian;
  if (mechanism.max_step > 0.0) {
    options.ode.max_step = mechanism.max_step;
  }
  std::copy_if(mechanism.controlled.begin(), mechanism.controlled.end(), std::back_inserter(options.controlled),
               exists);
  if (control.kind == ControlKind::tolerance) {
    options.ode.relative_tolerance = control.value;
    options.absolute_tolerance = control.value;
  } else {
    options.ode.fixed_step = control.value;
  }
  for (const auto& [kind, tolerance] : mechanism.absolute_tolerances) {
    if (exists(kind)) {
      options.absolute_tolerance_of[kind] = tolerance;
    }
  }
  return options;
}

CellResult run_cell(const Registries& registries, const Study& study, const CellKey& cell,
                    const StudyReference* reference, const std::filesystem::path& output) {
  StudyCase prepared(registries, study.mechanisms[cell.mechanism], study.variants[cell.variant]);
  if (!prepared.can_run()) {
    return all_observers(observers_of(study, cell), prepared.obstacle());
  }
  try {
    return observed_run(registries, study, cell, prepared, reference, output);
  } catch (const WriteError&) {
    throw;  // Nothing is wrong with the run: it must not be kept as a failure.
  } catch (const std::bad_alloc&) {
    return all_observers(observers_of(study, cell), Measured::failed("needs more memory than there is"));
  } catch (const std::exception& error) {
    return all_observers(observers_of(study, cell), Measured::failed(error.what()));
  }
}

}  // namespace mbdbench::studies
