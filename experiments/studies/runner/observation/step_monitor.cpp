#include "experiments/studies/runner/observation/step_monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "mechanisms/model/loads/loads.hpp"
#include "mechanisms/model/start/generic_rank.hpp"
#include "mechanisms/model/validation/spectrum.hpp"

namespace mbdbench::studies {
namespace {

// A position counts as near a singular one while the smallest singular value is below this part of its largest in the
// run: regular motions of planar loops keep it above a tenth.
constexpr double kNearSingular = 1e-2;

void require_observed(double t, const RhsStatus& status) {
  if (!status.ok) {
    throw std::runtime_error(fmt::format("the state at t = {} cannot be observed: {}", t, status.message()));
  }
}

// Not std::max: it drops a NaN, and a run that is lost must not look perfect.
void raise(double& largest, double value) {
  largest = value <= largest ? largest : value;
}

bool asks_for(const std::vector<Observer>& observers, Quantity first, Quantity last) {
  return std::any_of(observers.begin(), observers.end(),
                     [&](const Observer& observer) { return observer.quantity >= first && observer.quantity <= last; });
}

/// \returns whether the state begins with q and u of all tree joints, so that its rates hold u'.
bool begins_with_velocities(const Formulation& formulation) {
  const auto first = static_cast<std::size_t>(formulation.mechanism().q_size());
  const auto count = static_cast<std::size_t>(formulation.mechanism().u_size());
  const auto layout = formulation.layout();
  return layout.size() >= first + count &&
         std::all_of(layout.begin() + static_cast<std::ptrdiff_t>(first),
                     layout.begin() + static_cast<std::ptrdiff_t>(first + count),
                     [](const StateComponent& component) { return component.kind == StateKind::velocity; });
}

std::size_t level_of(const Observer& observer) {
  return observer.subject == "position" ? 0 : observer.subject == "velocity" ? 1 : 2;
}

}  // namespace

StepMonitor::StepMonitor(Formulation& formulation, const std::vector<Observer>& asked)
    : formulation_(formulation),
      makes_passes_(multiplier_passes(formulation).has_value()),
      observes_absolute_(formulation.observes_absolute()),
      solves_accelerations_(observes_absolute_ || begins_with_velocities(formulation)),
      follows_singular_values_(formulation.mechanism().constrained() &&
                               asks_for(asked, Quantity::smallest_singular_value, Quantity::most_singular_passes)),
      follows_accelerations_(solves_accelerations_ &&
                             asks_for(asked, Quantity::acceleration_drift, Quantity::acceleration_drift)),
      kinematics_(formulation.mechanism()),
      jacobians_(formulation.mechanism()),
      q_(static_cast<std::size_t>(formulation.mechanism().q_size())),
      u_(static_cast<std::size_t>(formulation.mechanism().u_size())),
      xdot_(formulation.state_size()) {
  largest_.singular_value = std::numeric_limits<double>::infinity();
  for (const Observer& observer : asked) {
    const bool grows = observer.quantity == Quantity::growth;
    const auto marker = observer.entry().subject == Subject::marker_axis
                            ? formulation.mechanism().find_marker(observer.marker())
                            : std::nullopt;
    const auto place = observer.quantity == Quantity::state ? place_in_state(observer) : std::nullopt;
    if (grows || marker || place) {
      followed_.push_back({observer,
                           grows ? observer.inner() : observer,
                           marker ? static_cast<std::size_t>(*marker) : place.value_or(0),
                           0.0,
                           0.0,
                           0.0,
                           {}});
      follows_markers_ = follows_markers_ || marker.has_value();
    }
  }
}

std::optional<std::size_t> StepMonitor::place_in_state(const Observer& observer) const {
  const auto layout = formulation_.layout();
  const auto found =
      std::find_if(layout.begin(), layout.end(), [&](const StateComponent& c) { return c.name == observer.subject; });
  return found == layout.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - layout.begin()));
}

void StepMonitor::write_to(const std::filesystem::path& file, const std::vector<Observer>& curves, double end,
                           int windows) {
  windows_ = windows;
  window_ = windows > 0 ? end / windows : 0.0;
  std::vector<std::string> columns = {"t"};
  for (const Observer& curve : curves) {
    if (obstacle(curve).usable()) {
      curves_.push_back(curve);
      columns.push_back(curve.record_name());
    }
  }
  stream_.emplace(file, std::vector<std::string>{}, columns);
}

bool StepMonitor::sample(double t, std::span<const double> x) {
  if (!initial_energy_) {
    observe(t, x);
  }
  return true;
}

bool StepMonitor::step(double t, std::span<const double> x, const OdeStatistics& so_far) {
  largest_.attempts = static_cast<double>(so_far.nsteps + so_far.nfailed);
  observe(t, x);
  return true;
}

void StepMonitor::place(double t, std::span<const double> x) {
  require_observed(t, formulation_.unpack(t, x, q_, u_));
  kinematics_.set_positions(q_);
  jacobians_.set_positions(kinematics_);
}

double StepMonitor::largest_acceleration_violation(double t, std::span<const double> x) {
  require_observed(t, formulation_.rhs(t, x, xdot_));
  kinematics_.set_velocities(u_);
  jacobians_.set_velocities(kinematics_);
  const auto size = static_cast<Eigen::Index>(u_.size());
  const Eigen::Map<const Eigen::VectorXd> rates(xdot_.data() + q_.size(), size);
  const Eigen::Map<const Eigen::VectorXd> u(u_.data(), size);
  return (jacobians_.constraints() * rates + jacobians_.constraint_rate() * u).cwiseAbs().maxCoeff();
}

StepMonitor::Step StepMonitor::step_at(double t, std::span<const double> x) {
  Step step;
  // Before anything else is evaluated: the passes of this step.
  step.passes = multiplier_passes(formulation_).value_or(MultiplierPasses{});
  if (follows_singular_values_ || follows_accelerations_ || observes_absolute_) {
    place(t, x);
  }
  const int rank = follows_singular_values_ ? formulation_.mechanism().generic_rank().rank : 0;
  if (rank > 0) {
    step.singular_value = singular_values(jacobians_.constraints())[rank - 1];
  }
  double energy = 0.0;
  if (observes_absolute_) {
    AbsoluteObservation absolute;
    formulation_.look_near(x);
    require_observed(t, formulation_.observe_absolute(t, x, absolute));
    step.kinetic = absolute.kinetic;
    step.potential = absolute.gravitational + spring_energy(kinematics_, q_, &formulation_.cut_references());
    energy = absolute.kinetic + absolute.gravitational + spring_energy(kinematics_, q_, &formulation_.cut_references());
    step.position = absolute.position_residual;
    step.velocity = absolute.velocity_residual;
    step.acceleration = absolute.acceleration_residual;
    if (follows_markers_) {
      require_observed(t, formulation_.observe(t, x, observation_));
    }
  } else {
    require_observed(t, formulation_.observe(t, x, observation_));
    energy = observation_.energies.total();
    step.kinetic = observation_.energies.kinetic;
    step.potential = observation_.energies.potential;
    step.position = observation_.position_residual;
    step.velocity = observation_.velocity_residual;
    step.sigma = observation_.largest_sigma;
    if (follows_accelerations_ && formulation_.mechanism().constrained()) {
      step.acceleration = largest_acceleration_violation(t, x);
    }
  }
  step.attempts = largest_.attempts;
  initial_energy_ = initial_energy_.value_or(energy);
  step.energy_error = energy - *initial_energy_;
  step.total = energy;
  const auto layout = formulation_.layout();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (layout[i].kind == StateKind::velocity || layout[i].kind == StateKind::momentum) {
      step.rate = std::max(step.rate, std::abs(x[i]));
    }
  }
  return step;
}

void StepMonitor::follow(double t, std::span<const double> x, const Step& step, bool first) {
  for (Followed& each : followed_) {
    if (each.observer.quantity == Quantity::growth) {
      each.fit.add(t, of_step(step, each.growing));
      continue;
    }
    if (each.observer.quantity == Quantity::state) {
      each.value = x[each.marker];
      continue;
    }
    const auto& vectors =
        each.observer.quantity == Quantity::velocity ? observation_.marker_velocities : observation_.marker_positions;
    const double value = vectors[each.marker][each.observer.axis()];
    each.initial = first ? value : each.initial;
    each.value = each.observer.quantity == Quantity::excursion ? std::abs(value - each.initial) : value;
    raise(each.largest, each.value);
  }
}

void StepMonitor::observe(double t, std::span<const double> x) {
  const bool first = !initial_energy_;
  const Step step = step_at(t, x);
  follow(t, x, step, first);
  final_energy_error_ = step.energy_error;
  raise(largest_.energy_error, std::abs(step.energy_error));
  raise(largest_.kinetic, step.kinetic);
  largest_.potential = first ? step.potential : std::max(largest_.potential, step.potential);
  largest_.total = first ? step.total : std::max(largest_.total, step.total);
  raise(largest_.rate, step.rate);
  raise(largest_.position, step.position);
  raise(largest_.velocity, step.velocity);
  raise(largest_.acceleration, step.acceleration);
  raise(largest_.sigma, step.sigma);
  raise(largest_singular_value_, step.singular_value);
  largest_.singular_value = std::min(largest_.singular_value, step.singular_value);
  if (makes_passes_ && follows_singular_values_ && !first) {
    steps_.push_back({step.singular_value, step.passes});
  }
  if (stream_) {
    write(t, step);
  }
}

void StepMonitor::write(double t, const Step& step) {
  const double number = windows_ > 0 ? std::min(std::floor(t / window_), windows_ - 1.0) : 0.0;
  std::vector<double> row = {windows_ > 0 ? (number + 0.5) * window_ : t};
  for (const Observer& curve : curves_) {
    row.push_back(of_step(step, curve));
  }
  if (windows_ == 0) {
    stream_->write(row);
    return;
  }
  if (!extremes_.empty() && extremes_.front() == row.front()) {
    for (std::size_t k = 1; k < row.size(); ++k) {
      // A NaN stays.
      extremes_[k] = std::abs(row[k]) <= std::abs(extremes_[k]) ? extremes_[k] : row[k];
    }
    return;
  }
  if (!extremes_.empty()) {
    stream_->write(extremes_);
  }
  extremes_ = row;
}

double StepMonitor::of_step(const Step& step, const Observer& curve) const {
  switch (curve.quantity) {
    case Quantity::energy_error:
      return step.energy_error;
    case Quantity::position_drift:
      return step.position;
    case Quantity::velocity_drift:
      return step.velocity;
    case Quantity::acceleration_drift:
      return step.acceleration;
    case Quantity::smallest_singular_value:
      return step.singular_value;
    case Quantity::passes:
      return step.passes[level_of(curve)];
    case Quantity::kinetic_energy:
      return step.kinetic;
    case Quantity::potential_energy:
      return step.potential;
    case Quantity::total_energy:
      return step.total;
    case Quantity::largest_rate:
      return step.rate;
    case Quantity::attempts:
      return step.attempts;
    case Quantity::state:
    case Quantity::excursion:
    case Quantity::coordinate:
    case Quantity::velocity:
      return std::find_if(followed_.begin(), followed_.end(), [&](const Followed& f) { return f.observer == curve; })
          ->value;
    default:
      return step.sigma;
  }
}

double StepMonitor::over_passes(const Observer& observer) const {
  constexpr int kFour = 4;  // as [Malczyk2012] says
  const auto steps = static_cast<double>(steps_.size());
  double mean = 0.0;
  double within = 0.0;
  int most_singular = 0;
  int most_regular = 0;
  for (const StepPasses& step : steps_) {
    const int passes = step.passes[level_of(observer)];
    const bool singular = step.singular_value < kNearSingular * largest_singular_value_;
    int& most = singular ? most_singular : most_regular;
    most = std::max(most, passes);
    mean += static_cast<double>(passes) / steps;
    within += passes <= kFour ? 1.0 / steps : 0.0;
  }
  switch (observer.quantity) {
    case Quantity::mean_passes:
      return mean;
    case Quantity::passes_within_four:
      return within;
    case Quantity::most_regular_passes:
      return most_regular;
    default:
      return most_singular;
  }
}

Measured StepMonitor::obstacle(const Observer& observer) const {
  const Mechanism& mechanism = formulation_.mechanism();
  switch (observer.quantity) {
    case Quantity::energy_error:
    case Quantity::final_energy_error:
      return mechanism.exchanges_energy()
                 ? Measured::refused(
                       "the energy is not kept: there is a load, a damper or a prescribed motion; "
                       "energy_imbalance takes their work into account")
                 : Measured{};
    case Quantity::kinetic_energy:
    case Quantity::potential_energy:
    case Quantity::total_energy:
    case Quantity::attempts:
    case Quantity::largest_rate:
    case Quantity::largest_sigma:
      return {};
    case Quantity::state:
      return place_in_state(observer)
                 ? Measured{}
                 : Measured::refused(fmt::format("the state has no component '{}'", observer.subject));
    case Quantity::growth:
      return obstacle(observer.inner());
    case Quantity::excursion:
    case Quantity::coordinate:
    case Quantity::velocity:
      return mechanism.find_marker(observer.marker())
                 ? Measured{}
                 : Measured::refused(fmt::format("the mechanism has no marker '{}'", observer.marker()));
    case Quantity::acceleration_drift:
      if (!solves_accelerations_) {
        return Measured::refused(
            "the state of the formulation is of momenta or of absolute coordinates, whose rates are no accelerations "
            "of joints");
      }
      break;
    case Quantity::position_drift:
    case Quantity::velocity_drift:
    case Quantity::smallest_singular_value:
      break;
    default:
      if (!makes_passes_) {
        return Measured::refused("the formulation makes no passes over multipliers");
      }
  }
  return mechanism.constrained() ? Measured{}
                                 : Measured::refused("the mechanism has no constraints: an open chain or tree");
}

Measured StepMonitor::measured(const Observer& observer) const {
  if (Measured none = obstacle(observer); !none.usable()) {
    return none;
  }
  if (observer.quantity == Quantity::final_energy_error) {
    return Measured::number(final_energy_error_);
  }
  if (observer.quantity == Quantity::state ||
      (observer.quantity >= Quantity::growth && observer.quantity <= Quantity::velocity)) {
    return of_followed(observer);
  }
  const bool of_passes =
      observer.quantity >= Quantity::mean_passes && observer.quantity <= Quantity::most_singular_passes;
  return Measured::number(of_passes ? over_passes(observer) : of_step(largest_, observer));
}

Measured StepMonitor::of_followed(const Observer& observer) const {
  const auto found =
      std::find_if(followed_.begin(), followed_.end(), [&](const Followed& f) { return f.observer == observer; });
  if (observer.quantity == Quantity::growth) {
    const std::optional<double> exponent = found->fit.exponent();
    return exponent ? Measured::number(*exponent) : Measured::refused("nothing that grows after 1 s");
  }
  return Measured::number(observer.quantity == Quantity::excursion ? found->largest : found->value);
}

void StepMonitor::finish() {
  if (stream_) {
    if (!extremes_.empty()) {
      stream_->write(extremes_);
    }
    stream_->finish();
  }
}

}  // namespace mbdbench::studies
