#pragma once
/// \file
/// A run in one process that is followed and judged, whoever takes its samples.
#include <vector>

#include "experiments/monitors/run_accuracy.hpp"
#include "experiments/simulation/output/simulate_report.hpp"
#include "experiments/simulation/simulate_setup.hpp"
#include "experiments/simulation/simulation.hpp"

namespace mbdbench {

/// How a run went and how far it can be trusted.
struct JudgedRun {
  SimulationResult result;
  RunVerdict verdict;
};

/// \returns whether a run that would not end is stopped: whoever has chosen the steps, or how many evaluations there
/// may be, gets them.
bool stops_endless(const SimulateSetup& setup, const SimulateRequest& request);

/// Runs; where the set-up has a shared formulation, all processes together. \param accuracy of the set-up's
/// formulation, follows the run \param sinks take samples and steps, in order \param processes that share the run;
/// nullptr: none
JudgedRun judged_run(const SimulateSetup& setup, const SimulateRequest& request, RunAccuracy& accuracy,
                     const std::vector<OdeSink*>& sinks, ProcessExchange* processes);

}  // namespace mbdbench
