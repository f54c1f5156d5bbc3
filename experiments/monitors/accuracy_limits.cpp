#include "experiments/monitors/accuracy_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>

namespace mbdbench {
namespace {

// Measured on the catalogue (docs/using/when_a_run_is_ok.md): right runs stay below a hundredth of n tol L (1 + V T)
// and, where energies of size S change hands quickly, reach 5 n tol S.
constexpr double kEnergyFactor = 20.0;
// Of one step. Right runs of the catalogue reach 130 tol S, at singular positions and with multistep methods of high
// order; those beyond 200 that no other limit met were off by 2000 tol L and more (docs/using/when_a_run_is_ok.md).
constexpr double kStepFactor = 200.0;
// Above, a run is wrong at any tolerance.
constexpr double kLargestShare = 0.1;
// Of what an iteration leaves: steps at the tolerance do not notice accelerations that are wrong by as much, and next
// to a singular position some steps are.
constexpr double kUnconverged = 100.0;
// Methods of high order end short runs within a few steps.
constexpr double kFewestSteps = 10.0;
// Of a mechanism that hardly moves, or at the tightest tolerances, rounding is all that there is.
constexpr double kRounding = 1e-11;

bool beyond(double value, double limit) {
  return !(value <= limit);  // also what is not a number
}

/// Adds the first coupling that its joints do not keep.
void judge_couplings(const RunAccuracy& accuracy, const AccuracyLimits& limits, std::vector<std::string>& found) {
  const Mechanism& mechanism = accuracy.mechanism();
  const std::span<const CouplingError> errors = accuracy.couplings().errors();
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const CouplingError& error = errors[i];
    const Coupling& coupling = mechanism.couplings()[i];
    const double rounding = limits.coupling_rounding / mechanism.scales().rows[coupling.row];
    const double position = limits.coupling_position * error.term_change + std::abs(error.initial_residual) +
                            kRounding * error.term + rounding * std::abs(accuracy.duration());
    const double rate = limits.coupling_velocity * error.term_rate + rounding;
    if (beyond(error.residual_change, position) || beyond(error.rate_residual, rate)) {
      found.push_back(fmt::format(
          "the joints of coupling '{}' do not keep it: its equation is off by {:.3g} where a joint moves it by {:.3g}, "
          "and its rate by {:.3g} of {:.3g}; the formulation has lost it among the others (another one may have it)",
          coupling.name, error.residual_change, error.term_change, error.rate_residual, error.term_rate));
      return;
    }
  }
}

}  // namespace

AccuracyLimits accuracy_limits(const RunAccuracy& accuracy, std::optional<double> tolerance,
                               const RequestedLimits& requested) {
  const double length = accuracy.length_scale();
  // A mechanism that hardly moves is measured with a swing in its gravity, or with one turn in the whole run.
  const double turn = accuracy.duration() != 0.0 ? 2.0 * std::numbers::pi / std::abs(accuracy.duration()) : 0.0;
  const double rate = std::max({accuracy.rate_scale(), turn, accuracy.largest_rate()});
  const double energy = accuracy.energy_scale();
  const double steps = std::max(kFewestSteps, static_cast<double>(accuracy.steps()));
  const auto share = [&](double factor) {
    return tolerance ? std::min(kLargestShare, factor * *tolerance * steps + kRounding) : kLargestShare;
  };
  const auto position_share = share(1.0 + rate * std::abs(accuracy.duration()));
  const double digits = accuracy.initial_position_residual();
  // Velocities at rest are rounding of the rates that the mechanism is measured with, and T has their square.
  const double rounding =
      kRounding * accuracy.energy_at_rest() + accuracy.mass() * std::pow(kRounding * rate * length, 2);
  AccuracyLimits limits;
  limits.position = requested.drift.value_or(length * position_share + digits);
  limits.velocity = requested.drift.value_or(rate * (length * share(1.0) + digits));
  limits.energy = requested.energy_error.value_or(energy * share(kEnergyFactor) + rounding);
  const double step_share = tolerance ? std::min(kLargestShare, kStepFactor * *tolerance) : kLargestShare;
  limits.energy_step = requested.energy_error.value_or(energy * step_share + kRounding * energy + rounding);
  limits.unconverged = tolerance ? std::min(kLargestShare, kUnconverged * *tolerance) : kLargestShare;
  limits.coupling_position = position_share;
  limits.coupling_velocity = share(1.0);
  limits.coupling_rounding = kRounding * rate;
  return limits;
}

std::vector<std::string> inaccuracies(const RunAccuracy& accuracy, const AccuracyLimits& limits) {
  std::vector<std::string> found;
  const auto compare = [&found](const char* what, double value, double limit, const char* unit, const char* option) {
    if (beyond(value, limit)) {
      found.push_back(fmt::format("{} {:.3g} {} is beyond {:.3g} ({})", what, value, unit, limit, option));
    }
  };
  compare("largest position residual", accuracy.largest_position_residual(), limits.position, "m", "--max-drift");
  compare("largest velocity residual", accuracy.largest_velocity_residual(), limits.velocity, "m/s", "--max-drift");
  if (accuracy.work().failure().empty()) {
    compare("largest imbalance of energy and work", accuracy.largest_imbalance() - accuracy.work().uncertainty(),
            limits.energy, "J", "--max-energy-error");
    compare("imbalance of energy and work in one step", accuracy.largest_step_imbalance(), limits.energy_step, "J",
            "--max-energy-error");
    // What the work is uncertain by excuses an imbalance, but not all of it: a load that is zero at the ends of every
    // step exists between them only.
    const double uncertainty = accuracy.work().uncertainty();
    if (beyond(accuracy.largest_imbalance(), limits.energy) && uncertainty > kLargestShare * accuracy.energy_scale()) {
      found.push_back(
          fmt::format("the loads change so much within a step that their work is known to {:.3g} J only, of {:.3g} J "
                      "(--max-step, or a tighter tolerance)",
                      uncertainty, accuracy.energy_scale()));
    }
  }
  if (const auto change = accuracy.diagnostics().find("unconverged_change");
      change != accuracy.diagnostics().end() && beyond(change->second.largest, limits.unconverged)) {
    found.push_back(fmt::format(
        "an iteration ended where the accelerations missed about {:.3g} of their size, more than {:.3g} (option "
        "iterations)",
        change->second.largest, limits.unconverged));
  }
  judge_couplings(accuracy, limits, found);
  for (const TableImpulse& impulse : accuracy.table_impulses().impulses()) {
    if (beyond(impulse.missed, kLargestShare * impulse.whole)) {
      found.push_back(fmt::format(
          "the table of load '{}' changes within the steps: of its impulse of {:.3g} (N s or N m s) they can "
          "miss {:.3g} (--max-step)",
          impulse.load, impulse.whole, impulse.missed));
    }
  }
  const std::vector<BranchChange>& changes = accuracy.branches().changes();
  if (!changes.empty()) {
    const BranchChange& first = changes.front();
    found.push_back(fmt::format(
        "at t = {:.6g} {} came to a singular position (singular value {:.2g} of the largest) and left it on another "
        "branch{} (projection=on, where the formulation has it, or a tighter tolerance passes through)",
        first.t, first.joint.empty() ? "the loops together" : fmt::format("the loop of joint '{}'", first.joint),
        first.closeness, changes.size() > 1 ? fmt::format(", the first of {} such changes", changes.size()) : ""));
  }
  return found;
}

}  // namespace mbdbench
