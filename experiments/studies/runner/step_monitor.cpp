#include "experiments/studies/runner/step_monitor.hpp"

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

std::size_t level_of(const Observer& observer) {
  return observer.subject == "position" ? 0 : observer.subject == "velocity" ? 1 : 2;
}

}  // namespace

StepMonitor::StepMonitor(Formulation& formulation, const std::vector<Observer>& asked)
    : formulation_(formulation),
      augmented_(dynamic_cast<AugmentedLagrangianFormulation*>(&formulation)),
      solves_accelerations_(augmented_ != nullptr || formulation.layout().back().kind == StateKind::velocity),
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
}

void StepMonitor::write_to(const std::filesystem::path& file, const std::vector<Observer>& curves) {
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

bool StepMonitor::step(double t, std::span<const double> x, const OdeStatistics& /*so_far*/) {
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
  if (augmented_ != nullptr) {
    const AugmentedIterations& passes = augmented_->iterations();
    step.passes = {passes.position.last, passes.velocity.last, passes.acceleration.last};
  }
  if (follows_singular_values_ || follows_accelerations_ || augmented_ != nullptr) {
    place(t, x);
  }
  const int rank = follows_singular_values_ ? formulation_.mechanism().generic_rank().rank : 0;
  if (rank > 0) {
    step.singular_value = singular_values(jacobians_.constraints())[rank - 1];
  }
  double energy = 0.0;
  if (augmented_ != nullptr) {
    AbsoluteObservation absolute;
    require_observed(t, augmented_->observe_absolute(t, x, absolute));
    energy = absolute.kinetic + absolute.gravitational + spring_energy(kinematics_, q_);
    step.position = absolute.position_residual;
    step.velocity = absolute.velocity_residual;
    step.acceleration = absolute.acceleration_residual;
  } else {
    require_observed(t, formulation_.observe(t, x, observation_));
    energy = observation_.energies.total();
    step.position = observation_.position_residual;
    step.velocity = observation_.velocity_residual;
    step.sigma = observation_.largest_sigma;
    if (follows_accelerations_ && formulation_.mechanism().constrained()) {
      step.acceleration = largest_acceleration_violation(t, x);
    }
  }
  initial_energy_ = initial_energy_.value_or(energy);
  step.energy_error = energy - *initial_energy_;
  return step;
}

void StepMonitor::observe(double t, std::span<const double> x) {
  const bool first = !initial_energy_;
  const Step step = step_at(t, x);
  raise(largest_.energy_error, std::abs(step.energy_error));
  raise(largest_.position, step.position);
  raise(largest_.velocity, step.velocity);
  raise(largest_.acceleration, step.acceleration);
  raise(largest_.sigma, step.sigma);
  raise(largest_singular_value_, step.singular_value);
  largest_.singular_value = std::min(largest_.singular_value, step.singular_value);
  if (augmented_ != nullptr && follows_singular_values_ && !first) {
    steps_.push_back({step.singular_value, step.passes});
  }
  if (stream_) {
    std::vector<double> row = {t};
    for (const Observer& curve : curves_) {
      row.push_back(of_step(step, curve));
    }
    stream_->write(row);
  }
}

double StepMonitor::of_step(const Step& step, const Observer& curve) {
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
      return mechanism.exchanges_energy()
                 ? Measured::refused("the energy is not kept: there is a load, a damper or a prescribed motion")
                 : Measured{};
    case Quantity::largest_sigma:
      return {};
    case Quantity::acceleration_drift:
      if (!solves_accelerations_) {
        return Measured::refused("the formulation is in momenta and solves for no accelerations");
      }
      break;
    case Quantity::position_drift:
    case Quantity::velocity_drift:
    case Quantity::smallest_singular_value:
      break;
    default:
      if (augmented_ == nullptr) {
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
  const bool of_passes =
      observer.quantity >= Quantity::mean_passes && observer.quantity <= Quantity::most_singular_passes;
  return Measured::number(of_passes ? over_passes(observer) : of_step(largest_, observer));
}

void StepMonitor::finish() {
  if (stream_) {
    stream_->finish();
  }
}

}  // namespace mbdbench::studies
