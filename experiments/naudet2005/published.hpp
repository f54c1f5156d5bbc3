#pragma once
/// \file
/// The numbers of [Naudet2005]: results/published/naudet2005_*.csv.
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "experiments/records/record_maker.hpp"

namespace mbdbench::naudet2005 {

inline constexpr NumberSource kTable1 = published_in("Naudet2005, table 1");
inline constexpr NumberSource kTable2 = published_in("Naudet2005, table 2");
inline constexpr NumberSource kTable3 = published_in("Naudet2005, table 3");
inline constexpr NumberSource kText = published_in("Naudet2005, text under table 1");

/// A number of the acceleration (Lagrange) form and the same number of the Hamiltonian form.
struct Pair {
  double lagrange;
  double hamilton;
  bool operator==(const Pair&) const = default;
};

/// A row of table 1: fixed steps.
struct FixedStepRow {
  double step;       ///< s
  Pair end_error;    ///< mean over q1, q2, q3 at 0.85 s
  Pair local_error;  ///< mean over q1, q2, q3 and the motion
};

inline constexpr std::array kFixedStepRows = {
    FixedStepRow{0.01, {2.8e-3, 1.2e-3}, {1.6e-6, 9.7e-7}},
    FixedStepRow{0.005, {1.9e-4, 5.4e-5}, {4.3e-8, 3.9e-8}},
    FixedStepRow{0.001, {4.5e-8, 1.2e-8}, {1.4e-11, 1.3e-11}},
    FixedStepRow{0.0005, {1.1e-9, 3.8e-10}, {4.4e-13, 4.2e-13}},
    FixedStepRow{0.0001, {3.8e-11, 2.9e-11}, {1.4e-16, 1.3e-16}},
};

/// The text's mean local errors at the step 0.001 s.
inline constexpr double kTextStep = 0.001;
inline constexpr double kTextVelocities = 1.1e-9;
inline constexpr double kTextCoordinates = 1.4e-11;
inline constexpr double kTextMomenta = 4.5e-12;

/// A row of table 2: MATLAB's solvers, equal absolute and relative tolerance.
struct AdaptiveRow {
  std::string_view integrator;
  double tolerance;
  std::optional<double> end_error;
  Pair evaluations;
};

inline constexpr std::array kAdaptiveRows = {
    AdaptiveRow{"ode45", 1e-4, 1e-2, {313, 206}},      AdaptiveRow{"ode45", 1e-5, 4e-4, {457, 320}},
    AdaptiveRow{"ode45", 1e-6, 1e-5, {661, 434}},      AdaptiveRow{"ode45", 1e-9, 4e-9, {2545, 1646}},
    AdaptiveRow{"ode45", 1e-12, 2e-11, {10135, 6560}}, AdaptiveRow{"ode45", 1e-13, 2e-11, {16063, 10400}},
    AdaptiveRow{"ode15s", 1e-3, {}, {336, 235}},       AdaptiveRow{"ode15s", 1e-6, {}, {682, 460}},
    AdaptiveRow{"ode15s", 1e-9, {}, {1542, 998}},      AdaptiveRow{"ode15s", 1e-12, {}, {7916, 4815}},
};

/// A row of table 3: an adaptive Runge-Kutta method at the tolerance 1e-6.
struct ErrorControlRow {
  std::string_view control;  ///< "full": all of the state; "partial": the coordinates only
  Pair local_error;
  Pair end_error;
  Pair evaluations;
};

inline constexpr double kErrorControlTolerance = 1e-6;
inline constexpr std::array kErrorControlRows = {
    ErrorControlRow{"full", {4.2e-9, 4.4e-8}, {1.4e-5, 2.0e-5}, {1578, 1177}},
    ErrorControlRow{"partial", {4.7e-8, 4.7e-8}, {4.8e-5, 2.1e-5}, {1164, 1159}},
};

/// \returns half a unit of the last of `digits` digits of a printed number.
inline double half_unit(double printed, int digits) {
  return 0.5 * std::pow(10.0, std::floor(std::log10(printed)) - (digits - 1));
}

}  // namespace mbdbench::naudet2005
