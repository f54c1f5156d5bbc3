#include "experiments/monitors/endless_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/monitors/component_origin.hpp"
#include "experiments/terminal/message.hpp"

namespace mbdbench {
namespace {

// Enough for the pace of a method to settle, little enough to be waited for.
constexpr std::size_t kWindow = 20'000;
// A second for the smallest mechanisms is 1e6 evaluations; the suite's longest runs take 1e7.
constexpr double kMostEvaluations = 1e8;
constexpr std::size_t kRestartsPerNote = 1000;
// Changes within so many tolerances are shifts: OdeSystem::after_step.
constexpr double kShift = 10.0;
constexpr std::array<std::string_view, 6> kMultistep = {"ode113",      "ode15s",    "ode15s-bdf",
                                                        "cvode-adams", "cvode-bdf", "odeint-adams-bashforth-moulton"};

}  // namespace

bool EndlessRunWatch::sample(double t, std::span<const double> x) {
  if (x_.empty()) {
    window_start_ = t;
    t_ = t;
    x_.assign(x.begin(), x.end());
    slope_.assign(x.size(), 0.0);
    previous_slope_.assign(x.size(), 0.0);
  }
  return true;
}

bool EndlessRunWatch::step(double t, std::span<const double> x, const OdeStatistics& so_far) {
  std::swap(slope_, previous_slope_);
  for (std::size_t i = 0; i < x.size(); ++i) {
    slope_[i] = (x[i] - x_[i]) / (t - t_);
  }
  std::copy(x.begin(), x.end(), x_.begin());
  t_ = t;
  const std::size_t evaluations = so_far.nfevals - window_evaluations_;
  if (evaluations < kWindow) {
    return true;
  }
  const double pace = (t - window_start_) / static_cast<double>(evaluations);
  const double rest = (end_ - t) / pace;
  window_start_ = t;
  window_evaluations_ = so_far.nfevals;
  if (rest <= kMostEvaluations) {
    return true;
  }
  const StateComponent& component = layout_[fastest_component()];
  reason_ = fmt::format(
      "the run would not end: at t = {} an evaluation gains {:.2g} s, and the rest would take {:.2g} evaluations, more "
      "than {:.0e}; '{}' changes fastest (joint or body '{}'): {}. --max-evaluations N sets a limit of your own "
      "instead",
      t, std::abs(pace), rest, kMostEvaluations, component.name, component.joint,
      loads_on(mechanism_.description(), component.joint));
  return false;
}

std::size_t EndlessRunWatch::fastest_component() const {
  std::size_t fastest = 0;
  double largest = -1.0;
  for (std::size_t i = 0; i < slope_.size(); ++i) {
    const double change = std::abs(slope_[i] - previous_slope_[i]) / std::max(std::abs(x_[i]), 1e-3);
    if (change > largest) {
      largest = change;
      fastest = i;
    }
  }
  return fastest;
}

RestartNote::RestartNote(std::string_view integrator, const OdeOptions& tolerances)
    : integrator_(integrator),
      multistep_(std::find(kMultistep.begin(), kMultistep.end(), integrator) != kMultistep.end()),
      relative_tolerance_(tolerances.relative_tolerance),
      absolute_tolerance_(tolerances.absolute_tolerance) {}

bool RestartNote::restarts(std::span<const double> x) const {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double absolute = absolute_tolerance_.size() == 1 ? absolute_tolerance_.front() : absolute_tolerance_[i];
    if (std::abs(x[i] - reached_[i]) > kShift * std::max(relative_tolerance_ * std::abs(x[i]), absolute)) {
      return true;
    }
  }
  return false;
}

void RestartNote::reached(std::span<const double> x) {
  if (multistep_) {
    reached_.assign(x.begin(), x.end());
  }
}

bool RestartNote::step(double t, std::span<const double> x, const OdeStatistics& so_far) {
  if (!multistep_ || !restarts(x)) {
    return true;
  }
  ++restarts_;
  if (restarts_ % kRestartsPerNote == 0) {
    // Nearly every step: more than nine in ten since the last note.
    if (9 * (so_far.nsteps - steps_at_last_note_) < 10 * kRestartsPerNote) {
      tell(
          "mbdbench: note: {} restarts by t = {:.6g}: the state is changed after nearly every step, and {} loses "
          "its history each time; a one-step method such as ode45 may need far fewer evaluations\n",
          restarts_, t, integrator_);
    }
    steps_at_last_note_ = so_far.nsteps;
  }
  return true;
}

}  // namespace mbdbench
