/// \file
/// J. R. Dormand, P. J. Prince, A family of embedded Runge-Kutta formulae, J. Comput. Appl. Math. 6 (1980) 19-26: the
/// pair. L. F. Shampine, Some practical Runge-Kutta formulas, Math. Comp. 46 (1986) 135-150: its continuous extension.
/// L. F. Shampine, M. W. Reichelt, The MATLAB ODE Suite, SIAM J. Sci. Comput. 18 (1997) 1-22: the step size control.
///
/// | papers | here |
/// |---|---|
/// | c_i, a_ij, b_j (order 5) | kNodes, kStage2 ... kStage6, kSolution |
/// | b_j - bhat_j | kError |
/// | b_j(theta) | extension_weights |
/// | k_j | k_[j - 1]; the last one is the first of the next step (FSAL) |
/// | rtol, e / max(|y_n|, |y_(n+1)|, atol / rtol) | rtol_, ErrorNorm |
/// | absh, hmin, hmax | step, smallest, largest_ |
///
/// Cost an attempt: 6 evaluations of f and 35 multiply-adds a component; a sample inside a step: 7 multiply-adds a
/// component. All memory is taken before the first step.
#include "integrators/ode45.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "integrators/error_norm.hpp"
#include "integrators/ode_run.hpp"
#include "integrators/step_size.hpp"

namespace mbdbench {
namespace {

constexpr std::size_t kStages = 7;
constexpr double kExponent = 1.0 / 5.0;
constexpr int kDefaultRefine = 4;
constexpr double kDefaultLargestStepFraction = 0.1;

// Nodes of stages 2 to 5; stages 6 and 7 lie at the end of the step.
constexpr std::array kNodes = {1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0};
constexpr std::array kStage2 = {1.0 / 5.0};
constexpr std::array kStage3 = {3.0 / 40.0, 9.0 / 40.0};
constexpr std::array kStage4 = {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0};
constexpr std::array kStage5 = {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0};
constexpr std::array kStage6 = {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0};
constexpr std::array kSolution = {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0};
constexpr std::array kError = {71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
                               -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};

/// Weights of k_1 ... k_7 at the fraction theta of a step.
constexpr std::array<double, kStages> extension_weights(double theta) {
  const double square = theta * theta;
  return {theta + square * (-183.0 / 64.0 + theta * (37.0 / 12.0 - theta * (145.0 / 128.0))),
          0.0,
          square * (1500.0 / 371.0 + theta * (-1000.0 / 159.0 + theta * (1000.0 / 371.0))),
          square * (-125.0 / 32.0 + theta * (125.0 / 12.0 - theta * (375.0 / 64.0))),
          square * (9477.0 / 3392.0 + theta * (-729.0 / 106.0 + theta * (25515.0 / 6784.0))),
          square * (-11.0 / 7.0 + theta * (11.0 / 3.0 - theta * (55.0 / 28.0))),
          square * (3.0 / 2.0 + theta * (-4.0 + theta * (5.0 / 2.0)))};
}

class Ode45 {
 public:
  Ode45(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0, const OdeOptions& options,
        OdeSink& sink)
      : run_(system, tspan, x0, options, sink, kDefaultRefine),
        tspan_(tspan),
        options_(options),
        norm_(options, system.size),
        rtol_(options.relative_tolerance),
        largest_(largest_step(tspan, options, kDefaultLargestStepFraction)),
        x_(x0.begin(), x0.end()),
        x_new_(system.size),
        error_(system.size),
        derivatives_(kStages * system.size) {
    for (std::size_t stage = 0; stage < kStages; ++stage) {
      k_[stage] = std::span(derivatives_).subspan(stage * system.size, system.size);
    }
  }

  OdeResult solve();

 private:
  /// \returns sum_j weights_j k_j of one component.
  template <std::size_t Count>
  double weighted(const std::array<double, Count>& weights, std::size_t component) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < Count; ++j) {
      sum += weights[j] * k_[j][component];
    }
    return sum;
  }

  /// out = x + h sum_j weights_j k_j.
  template <std::size_t Count>
  void advance(double h, const std::array<double, Count>& weights, std::span<double> out) const {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = x_[i] + h * weighted(weights, i);
    }
  }

  double initial_step() const;
  Evaluation evaluate_stages(double t, double h, double t_new);
  double measure_error(double step);

  OdeRun run_;
  std::span<const double> tspan_;
  const OdeOptions& options_;
  ErrorNorm norm_;
  double rtol_;
  double largest_;
  std::vector<double> x_;
  std::vector<double> x_new_;
  std::vector<double> error_;
  std::vector<double> derivatives_;
  std::array<std::span<double>, kStages> k_;
};

double Ode45::initial_step() const {
  return first_step(
      tspan_[0], x_, k_[0], options_, norm_, largest_,
      {.relative_change = 0.8 * std::pow(rtol_, kExponent), .upper_limit = std::abs(tspan_[1] - tspan_[0])});
}

/// Stages 2 to 7 of an attempt; the state at t_new is left in x_new_, its derivative in k_[6].
Evaluation Ode45::evaluate_stages(double t, double h, double t_new) {
  const auto stage = [&](const auto& weights, double t_stage, std::size_t index) {
    advance(h, weights, x_new_);
    return run_.evaluate(t_stage, x_new_, k_[index]);
  };
  Evaluation outcome = stage(kStage2, t + kNodes[0] * h, 1);
  if (outcome == Evaluation::ok) outcome = stage(kStage3, t + kNodes[1] * h, 2);
  if (outcome == Evaluation::ok) outcome = stage(kStage4, t + kNodes[2] * h, 3);
  if (outcome == Evaluation::ok) outcome = stage(kStage5, t + kNodes[3] * h, 4);
  if (outcome == Evaluation::ok) outcome = stage(kStage6, t_new, 5);
  if (outcome == Evaluation::ok) outcome = stage(kSolution, t_new, 6);
  return outcome;
}

/// \returns the weighted norm of the estimated local error of an attempt with all its stages; the estimate stays in
/// error_.
double Ode45::measure_error(double step) {
  for (std::size_t i = 0; i < error_.size(); ++i) {
    error_[i] = step * weighted(kError, i);
  }
  return norm_.relative(error_, x_, x_new_);
}

OdeResult Ode45::solve() {
  if (!run_.start(k_[0])) {
    return run_.take();
  }
  const double tf = tspan_.back();
  const double direction = tf > tspan_.front() ? 1.0 : -1.0;
  double t = tspan_.front();
  double step = initial_step();
  while (t != tf) {
    const double smallest = smallest_step(t);
    step = std::min(largest_, std::max(smallest, step));
    bool last = 1.1 * step >= std::abs(tf - t);
    if (last) {
      step = std::abs(tf - t);
    }
    double t_new = t;
    double error = 0.0;
    bool failed_before = false;
    while (true) {
      run_.begin_attempt(step);
      const double h = direction * step;
      t_new = last ? tf : t + h;
      const Evaluation outcome = evaluate_stages(t, h, t_new);
      if (outcome == Evaluation::ended) {
        return run_.take();
      }
      error = outcome == Evaluation::ok ? measure_error(step) : std::numeric_limits<double>::infinity();
      if (error <= rtol_) {
        break;
      }
      run_.reject();
      if (step <= smallest) {
        if (outcome == Evaluation::ok) {
          run_.end_step_too_small(smallest, norm_.dominant_component(error_, x_, x_new_), "error");
        } else {
          run_.end_not_finite();
        }
        return run_.take();
      }
      const double factor = failed_before ? 0.5 : std::max(0.1, 0.8 * std::pow(rtol_ / error, kExponent));
      step = std::max(smallest, factor * step);
      failed_before = true;
      last = false;
    }

    // t_new - t, not h: the sum t + h is rounded, and the continuous extension must meet x_new at t_new.
    const double h = t_new - t;
    const auto interpolate = [&](double t_sample, std::vector<double>& out) {
      advance(h, extension_weights((t_sample - t) / h), out);
    };
    if (!run_.accept(t_new, x_new_, k_[6], interpolate)) {
      return run_.take();
    }
    if (!failed_before) {
      step /= std::max(0.2, 1.25 * std::pow(error / rtol_, kExponent));
    }
    t = t_new;
    std::swap(x_, x_new_);
    std::swap(k_[0], k_[6]);
  }
  return run_.take();
}

}  // namespace

OdeResult ode45(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                const OdeOptions& options, OdeSink& sink) {
  return Ode45(system, tspan, x0, options, sink).solve();
}

}  // namespace mbdbench
