/// \file
/// J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19-26: the weights b_j - bhat_j of the error estimate.
///
/// The integrator's interface does not tell which component limits a step; it follows from the seven derivatives of the
/// accepted attempt, which are the last seven evaluated before the step is reported: the first of them is the last of
/// the step before (FSAL), so that between two accepted steps an observer sees the other six last.
#include "experiments/studies/runner/observation/step_limits.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "experiments/simulation/simulation.hpp"
#include "integrators/error_norm.hpp"

namespace mbdbench::studies {
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
    ++limited_[layout_[norm_.dominant_component(error_, x_, x)].kind];
    std::swap(derivatives_[0], derivatives_[kStages - 1]);
    t_ = t;
    x_.assign(x.begin(), x.end());
    return true;
  }

  /// \returns the steps that each kind limited.
  [[nodiscard]] const std::map<StateKind, std::size_t>& limited() const { return limited_; }

 private:
  std::span<const StateComponent> layout_;
  ErrorNorm norm_;
  std::vector<std::vector<double>> derivatives_;
  std::vector<double> error_;
  std::vector<double> x_;
  double t_ = 0.0;
  std::size_t next_ = 0;
  std::map<StateKind, std::size_t> limited_;
};

}  // namespace

std::map<StateKind, double> limited_shares(Formulation& formulation, const OdeEntry& ode45,
                                           std::span<const double> times, std::span<const double> x0,
                                           const OdeOptions& options) {
  StepLimitObserver observer(formulation.layout(), options);
  const OdeResult result = ode45.solve(observer.observed(ode_system(formulation)), times, x0, options, observer);
  if (result.status != OdeStatus::ok) {
    throw std::runtime_error(result.message);
  }
  std::map<StateKind, double> shares;
  for (const auto& [kind, steps] : observer.limited()) {
    shares[kind] = static_cast<double>(steps) / static_cast<double>(result.statistics.nsteps);
  }
  return shares;
}

}  // namespace mbdbench::studies
