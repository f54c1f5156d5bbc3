#pragma once
/// \file
/// When a run that reached its end is not right: limits of constraint residuals and of the balance of energy, tied to
/// the tolerance, and what lies beyond them.
///
/// A method with tolerance tol may commit tol in every step, relative to the size of what it integrates: after n steps
/// n tol, if nothing amplifies it. With the size of the mechanism L, its rates V and the duration T, formulations that
/// constrain accelerations alone drift by
///     |Phi'| ~ n tol V L,      |Phi| ~ n tol L (1 + V T),      |E - E0 - W| ~ n tol S
/// where S is the energy that moves (RunAccuracy::energy_scale). A single step may change E - E0 - W by a multiple of
/// tol S however many there are: one that changes it by more was not under control, such as the passage of a singular
/// position by momenta whose impulses it does not determine. Residuals of angles count as arcs at the mechanism's
/// length; V is at least the rate of a swing in the mechanism's gravity; what the loops are open by at the start, by
/// the digits of the description, is granted. The defaults are these drifts and a multiple of the imbalance, at most a
/// tenth of L, V L and S, which no right run exceeds however coarse its tolerance. docs/using/when_a_run_is_ok.md has
/// the measurements.
#include <optional>
#include <string>
#include <vector>

#include "experiments/monitors/run_accuracy.hpp"

namespace mbdbench {

/// What the user asks for instead of the defaults.
struct RequestedLimits {
  std::optional<double> drift;         ///< of max |Phi| (m) and of max |Phi'| (m/s)
  std::optional<double> energy_error;  ///< of max |E - E0 - W|, J
};

/// Limits of one run.
struct AccuracyLimits {
  double position = 0.0;
  double velocity = 0.0;
  double energy = 0.0;
  double energy_step = 0.0;  ///< of one step
  double unconverged = 0.0;  ///< what iterations leave of accelerations at accepted steps, relative
  /// Of couplings, shares of what their joints move and of their rates, and what rounding leaves of the mechanism's
  /// scaled rates (CharacteristicScales) beside them, 1/s.
  double coupling_position = 0.0;
  double coupling_velocity = 0.0;
  double coupling_rounding = 0.0;
};

/// \param tolerance of the error control; nothing for methods without one
AccuracyLimits accuracy_limits(const RunAccuracy& accuracy, std::optional<double> tolerance,
                               const RequestedLimits& requested);

/// \returns what lies beyond its limit, with number, limit and the option that moves it; empty for a run that is right
/// as far as this can tell. The uncertainty of the work is granted to the balance.
std::vector<std::string> inaccuracies(const RunAccuracy& accuracy, const AccuracyLimits& limits);

}  // namespace mbdbench
