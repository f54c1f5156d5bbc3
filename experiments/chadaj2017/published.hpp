#pragma once
/// \file
/// What the experiment's numbers are compared with. The values of the paper's figures and tables are lost; an
/// independent prototype of this project ran the same three cases.
#include <array>
#include <optional>
#include <string_view>

#include "experiments/records/record_maker.hpp"

namespace mbdbench::chadaj2017 {

/// Counts with ode45's own step control, so they must be equal.
inline constexpr NumberSource kPrototypeCounts = expected_from("independent prototype");
/// Another integrator: Dormand-Prince with SciPy's step control, tolerance 1e-6, D_c resolved in the moving body. Only
/// the order of magnitude can be compared.
inline constexpr NumberSource kPrototypeSciPy = expected_from("independent prototype with another step control");

/// Evaluations of ode45 at 1e-6 in 10 s.
struct PrototypeCount {
  std::string_view mechanism;
  std::string_view key;
  std::string_view options;
  int function_evaluations;
};

inline constexpr std::array kPrototypeCountsOfOde45 = {
    PrototypeCount{"four_bar", "dca", "", 805},
    PrototypeCount{"four_bar", "hdca", "", 1381},
    PrototypeCount{"four_bar", "hdca", "cut_axes=body", 2023},
    PrototypeCount{"four_bar", "hdca", "gauge=leak,leak=5", 1111},
    PrototypeCount{"four_bar", "hdca", "cut_axes=body,gauge=leak,leak=5", 1105},
};

/// What the prototype found with the other step control.
struct PrototypeRun {
  std::string_view mechanism;
  std::string_view key;
  double velocity_violation;              ///< max |Phi'|
  double position_violation;              ///< max |Phi|
  double final_energy_error;              ///< J
  std::optional<double> sigma;            ///< max |sigma|
  std::optional<double> position_growth;  ///< exponent of t
};

inline constexpr std::array kPrototypeRuns = {
    PrototypeRun{"four_bar", "dca", 6.9e-5, 3.3e-4, 6.9e-3, {}, 1.87},
    PrototypeRun{"four_bar", "hdca", 2.2e-13, 3.1e-6, 4.7e-5, 201.0, 1.2},
    PrototypeRun{"loop8", "dca", 3.9e-5, 2.0e-4, 5.9e-3, {}, 1.90},
    PrototypeRun{"loop8", "hdca", 2.9e-13, 3.2e-6, 5.9e-3, 411.0, 0.8},
    PrototypeRun{"double_loop", "dca", 4.4e-5, 2.5e-4, 9.1e-3, {}, 1.76},
    PrototypeRun{"double_loop", "hdca", 3.0e-13, 2.3e-6, 1.0e-3, 405.0, 0.95},
};

}  // namespace mbdbench::chadaj2017
