#pragma once
/// \file
/// What one run of a study says, observer by observer.
#include <map>
#include <optional>
#include <vector>

#include "experiments/monitors/run_accuracy.hpp"
#include "experiments/studies/runner/cells/study_cell.hpp"
#include "experiments/studies/runner/observation/pose_samples.hpp"
#include "experiments/studies/runner/observation/sigma_differences.hpp"
#include "experiments/studies/runner/observation/step_monitor.hpp"

namespace mbdbench::studies {

/// What was found out in one run.
struct RunFindings {
  const Registries* registries = nullptr;
  const StudyMechanism* mechanism = nullptr;
  SimulationResult result;
  const StepMonitor* monitor = nullptr;
  const StudyReference* reference = nullptr;
  StudyCase* prepared = nullptr;
  std::vector<Poses> poses;
  const std::vector<StateSamples::Sample>* samples = nullptr;
  std::map<StateKind, double> limited;  // share of the steps; empty where the integrator does not tell
  std::optional<PoseDifferences> errors;
  std::size_t inaccuracies = 0;
  Measured imbalance;
  std::optional<ValueRange> redundant_rows;  // where the formulation tells
};

/// \returns an observer's number, or why there is none. \param observer `of_one_run`
Measured measured_of(const RunFindings& run, const Observer& observer);

}  // namespace mbdbench::studies
