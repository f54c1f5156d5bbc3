#pragma once
/// \file
/// How a run is integrated: what a restart has to take over so that it continues the same run.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/simulation/simulation.hpp"

namespace mbdbench {

struct SimulateRequest;

/// Error control, step limits and output density of a run.
struct RunSettings {
  double relative_tolerance = 1e-6;
  /// Of the kinds that `absolute_tolerance_of` does not name.
  double absolute_tolerance = 1e-6;
  std::map<StateKind, double> absolute_tolerance_of;
  std::vector<StateKind> controlled;  ///< kinds under error control; empty: all
  bool norm_control = false;
  int refine = 0;  ///< 0: the method's default
  std::optional<double> max_step;
  std::optional<double> fixed_step;
  bool propagate_higher_order = false;
  bool record_local_error = false;
  /// Violation of the constraints above which states are projected after a step; 0: never.
  double projection_tolerance = 0.0;
  JacobianChoice jacobian = JacobianChoice::automatic;

  bool operator==(const RunSettings&) const = default;
};

/// \param origin for messages: "--control", a file
/// \throws std::invalid_argument for a text that names no kind of state
StateKind parse_state_kind(std::string_view text, std::string_view origin);

/// \returns `base` with everything that the request says explicitly. A plain --atol replaces those of every kind.
/// \throws std::invalid_argument for options that cannot be understood
RunSettings with_requested_settings(RunSettings base, const SimulateRequest& request);

/// \returns the settings as command line options, one a string: "--rtol 1e-06", "--control position".
std::vector<std::string> option_texts(const RunSettings& settings);

/// \returns options for `simulate` with these settings, the others at their defaults.
SimulationOptions simulation_options(const RunSettings& settings);

}  // namespace mbdbench
