/// \file
/// J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19-26: the weights b_j - bhat_j of the error estimate.
///
/// The component that limits a step is the one in which the estimated local error is largest relative to its weight.
/// The integrator's interface does not tell it; it follows from the seven derivatives of the accepted attempt, which
/// are the last seven evaluated before the step is reported: the first of them is the last of the step before (FSAL),
/// so that between two accepted steps an observer sees the other six last.
///
/// Limits: the shares are known to two and three digits.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "experiments/chadaj2015/parts.hpp"
#include "experiments/chadaj2015/pendulum_case.hpp"
#include "experiments/chadaj2015/published.hpp"
#include "integrators/error_norm.hpp"

namespace mbdbench::chadaj2015 {
namespace {

constexpr std::size_t kStages = 7;
constexpr std::array<double, kStages> kError = {71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
                                                -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};

/// Follows ode45 from outside and counts, by kind of state, which component limited each accepted step.
class StepLimitObserver : public OdeSink {
 public:
  StepLimitObserver(std::span<const StateComponent> layout, const OdeOptions& options)
      : layout_(layout),
        norm_(options, layout.size()),
        derivatives_(kStages, std::vector<double>(layout.size())),
        error_(layout.size()) {}

  /// \returns the system with its evaluations seen by this observer, which must outlive it.
  OdeSystem observed(OdeSystem system) {
    system.rhs = [this, rhs = std::move(system.rhs)](double t, std::span<const double> x, std::span<double> xdot) {
      std::string failure = rhs(t, x, xdot);
      // Slot 0 keeps the derivative at the start of the step; a rejected attempt overwrites the other six.
      std::copy(xdot.begin(), xdot.end(), derivatives_[next_].begin());
      next_ = next_ + 1 < kStages ? next_ + 1 : 1;
      return failure;
    };
    return system;
  }

  bool sample(double t, std::span<const double> x) override {
    if (x_.empty()) {
      t_ = t;
      x_.assign(x.begin(), x.end());
    }
    return true;
  }

  bool step(double t, std::span<const double> x, const OdeStatistics& /*so_far*/) override {
    for (std::size_t i = 0; i < error_.size(); ++i) {
      error_[i] = 0.0;
      for (std::size_t j = 0; j < kStages; ++j) {
        error_[i] += (t - t_) * kError[j] * derivatives_[j][i];
      }
    }
    const StateComponent& limiting = layout_[norm_.dominant_component(error_, x_, x)];
    ++steps_;
    limited_by_position_ += limiting.kind == StateKind::position ? 1 : 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (layout_[i].kind != StateKind::position) {
        largest_rate_ = std::max(largest_rate_, std::abs(x[i]));
      }
    }
    std::swap(derivatives_[0], derivatives_[kStages - 1]);
    t_ = t;
    x_.assign(x.begin(), x.end());
    return true;
  }

  /// \returns the share of the steps limited by an angle.
  [[nodiscard]] double position_share() const {
    return static_cast<double>(limited_by_position_) / static_cast<double>(steps_);
  }
  /// \returns the largest velocity or momentum seen.
  [[nodiscard]] double largest_rate() const { return largest_rate_; }

 private:
  std::span<const StateComponent> layout_;
  ErrorNorm norm_;
  std::vector<std::vector<double>> derivatives_;
  std::vector<double> error_;
  std::vector<double> x_;
  double t_ = 0.0;
  std::size_t next_ = 0;
  std::size_t steps_ = 0;
  std::size_t limited_by_position_ = 0;
  double largest_rate_ = 0.0;
};

void add_formulation(PartResult& part, const Registries& registries, std::string_view formulation) {
  PendulumCase pendulum(registries, formulation);
  OdeOptions options;
  options.relative_tolerance = kTolerance;
  options.absolute_tolerance = {kTolerance};
  StepLimitObserver observer(pendulum.formulation().layout(), options);
  const std::array interval = {0.0, kEnd};
  SimulationResult result;
  result.ode =
      integrator_of(registries, "ode45")
          .solve(observer.observed(ode_system(pendulum.formulation())), interval, pendulum.x0(), options, observer);
  const PendulumRecordMaker maker(formulation, "ode45", tolerance_text(kTolerance));
  if (!result.succeeded()) {
    part.records.push_back(maker.failed("steps_limited", "1", result));
    return;
  }
  const PrototypeRun& prototype = prototype_run(pendulum.rate_kind());
  const bool by_angle = prototype.limiting_kind == StateKind::position;
  part.records.push_back(maker.compared(
      by_angle ? "steps_limited_by_an_angle" : "steps_limited_by_a_velocity", "1",
      by_angle ? observer.position_share() : 1.0 - observer.position_share(),
      {prototype.limited_share, kPrototype, prototype.limited_share_uncertainty / prototype.limited_share,
       "share of the accepted steps, known to these digits"}));
  const bool momentum = pendulum.rate_kind() == StateKind::momentum;
  part.records.push_back(maker.measured(momentum ? "largest_momentum" : "largest_velocity",
                                        momentum ? "kg m^2/s" : "rad/s", observer.largest_rate()));
}

}  // namespace

PartResult step_limit_part(const Registries& registries) {
  PartResult part;
  add_formulation(part, registries, "dca");
  add_formulation(part, registries, "hdca");
  return part;
}

}  // namespace mbdbench::chadaj2015
