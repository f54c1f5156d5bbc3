#pragma once
/// \file
/// What a run leaves beside its trajectory: statistics, timings, the state it ended in.
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/monitors/accuracy_limits.hpp"
#include "experiments/monitors/run_accuracy.hpp"
#include "experiments/simulation/simulate_setup.hpp"
#include "experiments/simulation/simulation.hpp"

namespace mbdbench {

/// How a run ended and how far it can be trusted.
struct RunVerdict {
  AccuracyLimits limits;
  std::vector<std::string> inaccuracies;  ///< of a run that reached its end
  std::string_view status;  ///< the integrator's, "output_failed", "state_failed", "endless" or "inaccurate"
  std::string message;      ///< why it is not "ok"
};

/// \returns the verdict: the integrator's status; "output_failed" where the run stopped because a sample could not be
/// written, "state_failed" where its energies, markers or reactions could not be computed; "endless" where it was
/// stopped since it would not have ended; "inaccurate" where it reached its end beyond a limit.
RunVerdict run_verdict(const SimulateSetup& setup, const SimulationResult& result, const RunAccuracy& accuracy,
                       const SimulateRequest& request, std::string endless);

/// What the formulation told that a reader should know, in sentences.
std::vector<std::string> diagnostic_notes(const RunAccuracy& accuracy);

/// How the run went: everything that is the same each time, as statistics.json has it.
nlohmann::ordered_json run_statistics(const SimulateSetup& setup, const SimulationResult& result,
                                      const RunAccuracy& accuracy, const RunVerdict& verdict, std::size_t samples);

/// Wall time in s, which never is. \throws WriteError
void write_timings(const std::filesystem::path& file, const SimulationResult& result);

/// An accepted state, for --restart. \throws WriteError
void write_state(const std::filesystem::path& file, const SimulateSetup& setup, double t, std::span<const double> x);

}  // namespace mbdbench
