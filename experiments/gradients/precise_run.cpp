/// \file
/// Runs in numbers of 113 bits: DifferentiableRun::precise_along.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "experiments/gradients/differentiable_run.hpp"
#include "experiments/gradients/numbers/precise_start.hpp"
#include "experiments/gradients/placed_run.hpp"
#include "experiments/gradients/steps/precise_stages.hpp"
#include "experiments/precise/states/precise_states.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench::gradients {
namespace {

using precise::PreciseMotion;
using precise::Real;
using precise::Reals;

/// Of differences: truncation leaves its square, rounding 1e-34 over it, of a run some 1e-30.
constexpr double kStep = 1e-11;
/// As Formulation::after_step has it.
constexpr double kLongestQuaternionError = 1e-8;

/// The run of DifferentiableRun with numbers that need not be doubles.
class PreciseRun {
 public:
  /// \param formulation where implicit stages are looked for, in doubles
  PreciseRun(const Mechanism& mechanism, const VariedNumbers& numbers, std::span<const double> values,
             const StepMethod& method, const StepTimes& times, precise::StateRules rules, Formulation& formulation)
      : mechanism_(mechanism),
        numbers_(numbers),
        method_(method),
        times_(times),
        rules_(std::move(rules)),
        start_(numbers, values),
        stages_(formulation, method),
        own_(mechanism),
        motion_(mechanism, own_) {}

  /// \returns the objective without the cost of controls.
  Real value(const Reals& values, const SquareSum& objective) {
    place_numbers(values);
    const PreciseRunStart start = start_.at(motion_, times_.at(0), values);
    Reals x = start.q;
    const Reals second = rules_.momenta ? motion_.momenta(start.q, start.u) : start.u;
    x.insert(x.end(), second.begin(), second.end());
    Real sum = 0.0;
    for (std::size_t step = 0; step < times_.count(); ++step) {
      sum += share(step, x, objective);
      advance(step, values, x);
    }
    return sum + share(times_.count(), x, objective);
  }

 private:
  void place_numbers(const Reals& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const VariedNumber& one = numbers_.numbers()[i];
      switch (one.kind) {
        case VariedKind::mass:
          own_.masses[one.place] = values[i];
          break;
        case VariedKind::stiffness:
          own_.stiffness[one.place] = values[i];
          break;
        case VariedKind::damping:
          own_.damping[one.place] = values[i];
          break;
        case VariedKind::length: {
          const VariedLink& link = numbers_.links()[one.place];
          own_.elongation[index_of(link.tree_joint)] = values[i] - Real(link.own.length);
          break;
        }
        case VariedKind::start_position:
        case VariedKind::start_velocity:
        case VariedKind::control:
          break;
      }
    }
  }

  Reals rates(double t, const Reals& values, const Reals& x) {
    for (std::size_t c = 0; c < numbers_.controls().size(); ++c) {
      const KnotShares shares = numbers_.shares(c, t);
      const std::size_t first = numbers_.first_of(c) + shares.knot;
      Real& force = own_.forces[numbers_.loaded(c)];
      force = Real(shares.first) * values[first];
      if (shares.second != 0.0) {
        force += Real(shares.second) * values[first + 1];
      }
    }
    return precise::state_rates(motion_, rules_, t, x);
  }

  /// One step of the method [StepMethod].
  void advance(std::size_t step, const Reals& values, Reals& x) {
    const StepInterval interval = times_.step(step);
    const double h = interval.size;
    std::vector<Reals> k;
    const auto moved = [&](const std::vector<double>& weights) {
      Reals at = x;
      for (std::size_t j = 0; j < weights.size(); ++j) {
        for (std::size_t i = 0; weights[j] != 0.0 && i < x.size(); ++i) {
          at[i] += Real(h) * Real(weights[j]) * k[j][i];
        }
      }
      return at;
    };
    for (std::size_t stage = 0; stage < method_.explicit_stages; ++stage) {
      k.push_back(rates(method_.time_of(stage, interval), values, moved(method_.stages[stage])));
    }
    if (method_.is_implicit()) {
      stages_.solve(interval, x, k, [&](double t, const Reals& at) { return rates(t, values, at); });
    }
    x = moved(method_.weights);
    for (const Joint& joint : mechanism_.tree_joints()) {
      if (has_quaternion(joint.type)) {
        normalise(std::span(x).subspan(index_of(joint.q_offset), 4));
      }
    }
  }

  static void normalise(std::span<Real> quaternion) {
    Real square = 0.0;
    for (const Real& component : quaternion) {
      square += component * component;
    }
    const Real length = sqrt(square);
    if (abs(length - Real(1.0)) > Real(kLongestQuaternionError)) {
      for (Real& component : quaternion) {
        component /= length;
      }
    }
  }

  Real share(std::size_t step, const Reals& x, const SquareSum& objective) {
    Real sum = 0.0;
    const std::span<const Real> q = std::span(x).first(q_size());
    const std::span<const SquareSum::Sight> sights = objective.sights_at(step);
    if (!sights.empty()) {
      motion_.place(times_.at(step), q);
    }
    for (const SquareSum::Sight& sight : sights) {
      const Marker& marker = mechanism_.markers()[index_of(sight.marker)];
      const precise::TreeBody& body = motion_.body(marker.body);
      const precise::Vector off =
          body.origin + body.rotation * precise::precise(marker.point) - precise::precise(sight.place);
      sum += Real(sight.factor) * off.squaredNorm();
    }
    Reals velocities;
    for (const SquareSum::Target& target : objective.targets()) {
      const double factor = objective.factor_at(target, step);
      if (factor == 0.0) {
        continue;
      }
      if (target.rate && velocities.empty()) {
        velocities.assign(x.begin() + static_cast<std::ptrdiff_t>(q_size()), x.end());
        if (rules_.momenta) {
          velocities = motion_.velocities(times_.at(step), q, velocities);
        }
      }
      const Real distance = (target.rate ? velocities[target.place] : q[target.place]) - Real(target.value);
      sum += Real(factor) * distance * distance;
    }
    return sum;
  }

  [[nodiscard]] std::size_t q_size() const { return index_of(mechanism_.q_size()); }

  const Mechanism& mechanism_;
  const VariedNumbers& numbers_;
  const StepMethod& method_;
  const StepTimes& times_;
  precise::StateRules rules_;
  PreciseStart start_;
  PreciseStages stages_;
  precise::TreeNumbers own_;
  PreciseMotion motion_;
};

}  // namespace

std::vector<double> DifferentiableRun::precise_along(std::span<const double> values, std::span<const double> directions,
                                                     SquareSum& objective) const {
  const std::size_t count = numbers_.size();
  if (values.size() != count) {
    throw std::invalid_argument(fmt::format("there are {} numbers, {} were given", count, values.size()));
  }
  const Mechanism varied = numbers_.with(values);
  const std::unique_ptr<Formulation> formulation = make_formulation(registry_, *choice_.entry, varied, choice_.options);
  std::string refusal = precise::refuse_precise_states(*formulation, choice_.parameters);
  if (refusal.empty() && !precise::begins_with_joint_states(*formulation)) {
    refusal = "its states are not those of the tree's joints";
  }
  if (refusal.empty()) {
    refusal = precise::refuse_open_loops(mechanism_);
  }
  if (!refusal.empty()) {
    throw std::invalid_argument(
        fmt::format("'{}' on '{}' in 113 bits: {}", choice_.entry->key, mechanism_.name(), refusal));
  }
  const std::unique_ptr<Placed> stepped_run = stepped(values);
  objective.begin(stepped_run->mechanism, stepped_run->times);
  PreciseRun run(mechanism_, numbers_, values, *method_, stepped_run->times,
                 precise::state_rules(*formulation, choice_.parameters), *stepped_run->formulation);
  if (count == 0 || directions.size() % count != 0) {
    throw std::invalid_argument(fmt::format("directions: {} numbers are no rows of {}", directions.size(), count));
  }
  // The cost of controls is a polynomial, differentiated as one.
  std::vector<double> of_controls(count);
  static_cast<void>(control_cost(values, of_controls));
  std::vector<double> slopes;
  for (std::size_t first = 0; first < directions.size(); first += count) {
    const std::span<const double> direction = directions.subspan(first, count);
    const auto at = [&](double step) {
      Reals moved(values.begin(), values.end());
      for (std::size_t i = 0; i < count; ++i) {
        moved[i] += Real(step) * Real(direction[i]);
      }
      if (watch_) {
        watch_();
      }
      try {
        return run.value(moved, objective);
      } catch (const std::runtime_error& error) {
        throw RunFailure(fmt::format("in 113 bits: {}", error.what()));
      }
    };
    const Real slope = (at(kStep) - at(-kStep)) / Real(2.0 * kStep);
    double controls = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      controls += of_controls[i] * direction[i];
    }
    slopes.push_back(slope.convert_to<double>() + controls);
  }
  return slopes;
}

}  // namespace mbdbench::gradients
