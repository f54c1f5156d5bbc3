#pragma once
/// \file
/// One run as `mbdbench simulate` makes it: from a user's words to a directory of results.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/monitors/accuracy_limits.hpp"
#include "experiments/records/timing/waiting_watch.hpp"
#include "experiments/registries/registries.hpp"

namespace mbdbench {

/// Columns of trajectory.csv that are written when they are asked for.
inline constexpr std::array kTrajectoryColumns = {"accelerations", "loads", "poses", "reactions", "velocities"};

/// The words of the command line, not yet checked against one another.
struct SimulateRequest {
  // With a restart, what is empty here comes from the saved state, down to `jacobian`.
  std::string mechanism;
  std::string formulation;  ///< KEY[options]
  std::string integrator;

  std::optional<double> relative_tolerance;
  std::vector<std::string> absolute_tolerances;  ///< "1e-8" for all kinds, "position=1e-8" for one
  std::vector<std::string> controlled;           ///< kinds, or "all"
  std::optional<double> max_step;
  std::optional<double> fixed_step;
  std::optional<int> refine;
  std::optional<bool> norm_control;
  std::optional<bool> propagate_higher_order;
  std::optional<bool> record_local_error;
  std::optional<double> projection_tolerance;
  std::optional<std::string> jacobian;  ///< see parse_jacobian_choice

  std::string time;  ///< see parse_time_span
  std::optional<double> initial_step;
  /// Signed, so that a negative number is refused instead of wrapping around.
  std::optional<std::int64_t> max_evaluations;

  std::vector<std::string> initial_values;  ///< see with_initial_values
  std::string restart;                      ///< a state.json

  RequestedLimits limits;
  /// A run that is `inaccurate` ends with exit code 0.
  bool accept = false;

  double process_timeout = kProcessTimeout;  ///< s that a process waits for the others; 0: for ever
  double checkpoint = 60.0;                  ///< s of wall time between two states that are kept; 0: none
  std::string output;                        ///< directory
  bool overwrite = false;
  bool reactions = false;
  std::vector<std::string> columns;      ///< see kTrajectoryColumns
  std::string reaction_point = "joint";  ///< or "a"
  bool quiet = false;
};

/// Runs and writes trajectory.csv, statistics.json, timings.json, state.json, mechanism.toml and provenance.json.
/// \returns the exit code: 0 the end was reached; 1 the run failed and kept what it had, or is inaccurate; 3 a file
/// could not be written; 130 interrupted, kept likewise \throws std::exception (FileError, ModelError,
/// std::invalid_argument, ...) for requests that cannot be run
int run_simulate(const Registries& registries, const SimulateRequest& request);

}  // namespace mbdbench
