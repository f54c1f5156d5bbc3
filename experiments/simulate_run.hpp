#pragma once
/// \file
/// One run as `mbdbench simulate` makes it: from a user's words to a directory of results.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/command_line.hpp"

namespace mbdbench {

/// The words of the command line, not yet checked against one another.
struct SimulateRequest {
  // What to run; with a restart these may be empty and then come from the saved state.
  std::string mechanism;
  std::string formulation;
  std::vector<std::string> formulation_options;  ///< "name=value"
  std::string integrator;

  std::string time;  ///< see parse_time_span
  double relative_tolerance = 1e-6;
  std::vector<std::string> absolute_tolerances;  ///< "1e-8" for all kinds, "position=1e-8" for one
  std::vector<std::string> controlled;           ///< kinds
  std::optional<double> initial_step;
  std::optional<double> max_step;
  std::optional<double> fixed_step;
  std::optional<std::size_t> max_evaluations;
  int refine = 0;
  bool norm_control = false;

  std::vector<std::string> initial_values;  ///< see with_initial_values
  std::string restart;                      ///< a state.json

  std::string output;  ///< directory
  bool overwrite = false;
  bool reactions = false;
  bool quiet = false;
};

/// Runs and writes trajectory.csv, statistics.json, timings.json, state.json, mechanism.toml and provenance.json.
/// \returns the exit code: 0 the end was reached; 1 the run failed and kept what it had; 130 interrupted, likewise
/// \throws std::exception (FileError, ModelError, std::invalid_argument, ...) for requests that cannot be run
int run_simulate(const Registries& registries, const SimulateRequest& request);

}  // namespace mbdbench
