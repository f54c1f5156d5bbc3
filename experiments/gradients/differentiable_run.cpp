#include "experiments/gradients/differentiable_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "experiments/gradients/placed_run.hpp"
#include "formulations/joint_state.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/kinematics/observables.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "mechanisms/model/loads/cut_references.hpp"

namespace mbdbench::gradients {
namespace {

// Of a start of closed loops, without unit: those of mechanisms are closed to some roundings.
constexpr double kClosed = 1e-8;

}  // namespace

StepState DifferentiableRun::Placed::seen(std::size_t step, double t, std::span<const double> x, bool velocities) {
  StepState state{step, t, x.first(q_.size()), {}};
  if (velocities && map.has_momenta()) {
    require_run(formulation->unpack(t, x, q_, u_), t);
    state.u = u_;
  } else if (velocities) {
    state.u = x.subspan(q_.size());  // as they are: `dense` would unpack projected ones
  }
  return state;
}

DifferentiableRun::DifferentiableRun(const FormulationRegistry& registry, const Mechanism& mechanism,
                                     VariedNumbers numbers, const RunSettings& settings)
    : registry_(registry),
      choice_(choose_formulation(registry_, settings.formulation)),
      mechanism_(mechanism),
      numbers_(std::move(numbers)),
      method_(&step_method(settings.method)),
      memory_(settings.memory),
      watch_(settings.watch) {
  if (numbers_.size() == 0) {
    throw std::invalid_argument("gradient: there is no parameter and no control to take it by");
  }
  set_steps(settings);
  require_derivatives();
  const std::unique_ptr<Placed> run = stepped(numbers_.own_values());
  times_ = run->times;
  distance_ = distance_of(times_, run->stepper.sizes());
}

void DifferentiableRun::set_steps(const RunSettings& settings) {
  if (!method_->adaptive) {
    if (settings.relative_tolerance || settings.absolute_tolerance) {
      throw std::invalid_argument(fmt::format(
          "rtol, atol: '{}' has fixed steps, whose length is `step`; methods that choose theirs by tolerances: {}",
          method_->key, fmt::join(adaptive_methods(), ", ")));
    }
    if (!settings.land_on.empty()) {
      throw std::invalid_argument(
          fmt::format("land_on: '{}' has fixed steps; choose a step that divides the times", method_->key));
    }
    if (!settings.step) {
      throw std::invalid_argument(fmt::format("step: '{}' has fixed steps; say of how many seconds", method_->key));
    }
    times_ = StepTimes(settings.t0, settings.tf, *settings.step);
    return;
  }
  if (settings.step) {
    throw std::invalid_argument(
        fmt::format("step: '{}' chooses its steps by tolerances; give rtol and atol instead", method_->key));
  }
  tolerances_.relative = settings.relative_tolerance.value_or(tolerances_.relative);
  tolerances_.absolute = settings.absolute_tolerance.value_or(tolerances_.relative);
  constexpr double kLeast = 100.0 * std::numeric_limits<double>::epsilon();
  if (!(tolerances_.relative >= kLeast) || !std::isfinite(tolerances_.relative)) {
    throw std::invalid_argument(
        fmt::format("rtol: is {}; it must be finite and at least {:.3g}", tolerances_.relative, kLeast));
  }
  if (!(tolerances_.absolute > 0.0) || !std::isfinite(tolerances_.absolute)) {
    throw std::invalid_argument(fmt::format("atol: is {}; it must be positive and finite", tolerances_.absolute));
  }
  std::vector<double> kinks;
  for (const Control& control : numbers_.controls()) {
    kinks.insert(kinks.end(), control.times.begin(), control.times.end());
  }
  landings_ = ordered_landings(settings.t0, settings.tf, settings.land_on, kinks);
}

void DifferentiableRun::require_derivatives() {
  const FormulationEntry& entry = *choice_.entry;
  if (const std::string reason = refusal_of(entry, mechanism_); !reason.empty()) {
    throw ModelError({}, fmt::format("'{}' does not take mechanism '{}': {}", entry.key, mechanism_.name(), reason));
  }
  const std::unique_ptr<Placed> run = placed(numbers_.own_values());
  const std::string who =
      fmt::format("gradient of '{}' on '{}'", formulation_word(entry.key, choice_.options), mechanism_.name());
  if (const std::vector<FollowedAngle> angles = followed_angles(mechanism_); !angles.empty()) {
    throw std::invalid_argument(
        fmt::format("{}: a law knows the angle of cut joint '{}', which is a component of the state; cut another joint "
                    "of the loop",
                    who, mechanism_.cut_joints()[index_of(angles.front().cut)].name));
  }
  if (const std::string reason = run->formulation->without_jacobian(); !reason.empty()) {
    throw std::invalid_argument(fmt::format("{}: {}", who, reason));
  }
  if (entry.projects_steps != nullptr && entry.projects_steps(mechanism_, choice_.parameters)) {
    throw std::invalid_argument(who +
                                ": accepted steps are projected on the constraints, which gradients of runs do "
                                "not differentiate; give projection=velocities, which projects velocities within the "
                                "right-hand side alone, or projection=off");
  }
  if (!has_joint_states(*run->formulation)) {
    throw std::invalid_argument(who +
                                ": its state is not that of the tree's joints alone; with loops these have such "
                                "states: dense, bae-haug, dca, dense-momentum, hdca");
  }
}

std::size_t DifferentiableRun::distance_of(const StepTimes& times, const StepSizes& sizes) const {
  const auto step = static_cast<double>(sizes.numbers() * sizeof(double));
  const auto steps = static_cast<double>(times.count());
  const auto state = static_cast<double>(sizes.state * sizeof(double));
  if (steps * step <= memory_) {
    return times.count();
  }
  // States every so many steps and the stages of so many: least together where both are equal.
  const double distance = std::max(1.0, std::ceil(std::sqrt(steps * state / step)));
  const double least = distance * step + std::ceil(steps / distance) * state;
  if (!(least <= memory_)) {
    throw std::invalid_argument(
        fmt::format("memory: {:.4g} bytes are allowed; {} steps of {} stages with {} components need at least {:.4g}",
                    memory_, times.count(), method_->stage_count(), sizes.state, least));
  }
  return static_cast<std::size_t>(distance);
}

void DifferentiableRun::add_control_cost(double factor) {
  if (!std::isfinite(factor)) {
    throw std::invalid_argument(fmt::format("objective: the factor of the controls is {}; it must be finite", factor));
  }
  if (numbers_.controls().empty()) {
    throw std::invalid_argument("objective: there are no controls");
  }
  control_factor_ += factor;
}

std::unique_ptr<DifferentiableRun::Placed> DifferentiableRun::placed(std::span<const double> values) const {
  if (values.size() != numbers_.size()) {
    throw std::invalid_argument(fmt::format("there are {} numbers, {} were given", numbers_.size(), values.size()));
  }
  auto run = std::make_unique<Placed>(numbers_.with(values), registry_, choice_, *method_, numbers_);
  run->start = numbers_.start(values);
  require_constraints(run->mechanism, run->start);
  const double t0 = first_time();
  require_run(run->formulation->pack(t0, view(run->start.q), view(run->start.u), run->x0), t0);
  return run;
}

std::unique_ptr<DifferentiableRun::Placed> DifferentiableRun::stepped(std::span<const double> values) const {
  std::unique_ptr<Placed> run = placed(values);
  run->times = method_->adaptive ? chosen_steps(*run->formulation, *method_, tolerances_, landings_, run->x0,
                                                memory_ / (2.0 * sizeof(double)), watch_)
                                 : times_;
  return run;
}

void DifferentiableRun::require_constraints(const Mechanism& mechanism, const RunStart& start) const {
  if (!mechanism.constrained()) {
    return;
  }
  Kinematics kinematics(mechanism);
  kinematics.set_positions(view(start.q));
  kinematics.set_velocities(view(start.u));
  ConstraintObserver observer(mechanism);
  const ConstraintErrors errors = observer.evaluate(first_time(), view(start.q), view(start.u), kinematics);
  if (errors.scaled_position > kClosed || errors.scaled_velocity > kClosed) {
    throw std::invalid_argument(
        fmt::format("start of '{}': at t = {} it breaks the constraints by {:.3g} in positions and {:.3g} in "
                    "velocities; a run must start where its prescribed motions are",
                    mechanism.name(), first_time(), errors.scaled_position, errors.scaled_velocity));
  }
}

double DifferentiableRun::share(Placed& run, Objective& objective, std::size_t step, std::span<const double> x) const {
  return objective.has_share(step)
             ? objective.share(run.seen(step, run.times.at(step), x, objective.needs_velocities()))
             : 0.0;
}

double DifferentiableRun::control_cost(std::span<const double> values, std::span<double> derivatives) const {
  if (control_factor_ == 0.0) {
    return 0.0;
  }
  double cost = 0.0;
  for (std::size_t c = 0; c < numbers_.controls().size(); ++c) {
    const std::vector<double>& times = numbers_.controls()[c].times;
    const std::size_t first = numbers_.first_of(c);
    for (std::size_t k = 0; k + 1 < times.size(); ++k) {
      // The square of what is linear in between, exactly.
      const double third = control_factor_ * (times[k + 1] - times[k]) / 3.0;
      const double a = values[first + k];
      const double b = values[first + k + 1];
      cost += third * (a * a + a * b + b * b);
      if (!derivatives.empty()) {
        derivatives[first + k] += third * (2.0 * a + b);
        derivatives[first + k + 1] += third * (a + 2.0 * b);
      }
    }
  }
  return cost;
}

double DifferentiableRun::value(std::span<const double> values, Objective& objective) {
  const std::unique_ptr<Placed> run = stepped(values);
  objective.begin(run->mechanism, run->times);
  double sum = control_cost(values, {});
  const std::vector<double> end =
      forward(*run, [&](std::size_t k, std::span<const double> x, const StepRecord& /*record*/) {
        sum += share(*run, objective, k, x);
      });
  return finite_value(sum + share(*run, objective, run->times.count(), end));
}

Trajectory DifferentiableRun::trajectory(std::span<const double> values) {
  const std::unique_ptr<Placed> run = stepped(values);
  Trajectory result;
  const auto add = [&](std::size_t k, std::span<const double> x) {
    const StepState state = run->seen(k, run->times.at(k), x, true);
    result.t.push_back(state.t);
    result.q.insert(result.q.end(), state.q.begin(), state.q.end());
    result.u.insert(result.u.end(), state.u.begin(), state.u.end());
  };
  const std::vector<double> end =
      forward(*run, [&](std::size_t k, std::span<const double> x, const StepRecord& /*record*/) { add(k, x); });
  add(run->times.count(), end);
  return result;
}

double finite_value(double value) {
  if (!std::isfinite(value)) {
    throw std::invalid_argument(
        fmt::format("the objective is {}: the run is finite, its sum of squares is not; make factors smaller", value));
  }
  return value;
}

void require_finite(std::span<const double> gradient) {
  const auto lost = std::find_if(gradient.begin(), gradient.end(), [](double value) { return !std::isfinite(value); });
  if (lost != gradient.end()) {
    throw std::invalid_argument(
        fmt::format("the derivative by number {} of {} is {}: the run is finite, what it is weighted with is not",
                    lost - gradient.begin() + 1, gradient.size(), *lost));
  }
}

}  // namespace mbdbench::gradients
