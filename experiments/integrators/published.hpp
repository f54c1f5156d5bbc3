#pragma once
/// \file
/// MATLAB's own counts (results/published/matlab_solver_statistics.csv).
#include <array>
#include <optional>
#include <string_view>

#include "experiments/records/record_maker.hpp"

namespace mbdbench::integrator_study {

inline constexpr NumberSource kMatlab = expected_from("MATLAB, results/published/matlab_solver_statistics.csv");

/// One row of the file: a run with RelTol 1e-3 and AbsTol 1e-6; what was not recorded is empty.
struct MatlabRun {
  std::string_view problem;
  std::string_view integrator;
  std::optional<int> steps;
  std::optional<int> failed_attempts;
  std::optional<int> function_evaluations;
  std::optional<double> final_y1;
  std::optional<int> jacobians;
};

inline constexpr std::array kMatlabRuns = {
    MatlabRun{"vdp1", "ode45", 59, 10, 415, 2.0172311816022921, {}},
    MatlabRun{"vdp1", "ode23", 161, 21, 547, 2.0076060209199773, {}},
    MatlabRun{"vdp1", "ode113", 175, 12, 363, 2.0077671271024404, {}},
    MatlabRun{"lorenz", "ode45", 239, {}, {}, {}, {}},
    MatlabRun{"lorenz", "ode23", 583, {}, {}, {}, {}},
    MatlabRun{"lorenz", "ode113", 651, {}, {}, {}, {}},
    MatlabRun{"linear", "ode45", 14, 2, 97, {}, {}},
    MatlabRun{"vdp1000", "ode15s", 591, 225, 1883, {}, 45},
};

}  // namespace mbdbench::integrator_study
