#pragma once
/// \file
/// The loop around an embedded pair of explicit Runge-Kutta formulas whose last stage is the first of the next step,
/// with the step size control of MATLAB's ode23 and ode45.
///
/// L. F. Shampine, M. W. Reichelt, The MATLAB ODE Suite, SIAM J. Sci. Comput. 18 (1997) 1-22.
///
/// | paper | here |
/// |---|---|
/// | k_j | k_[j - 1]; the last one is the first of the next step (FSAL) |
/// | rtol, e / max(|y_n|, |y_(n+1)|, atol / rtol) | rtol_, ErrorNorm |
/// | absh, hmin, hmax | step, smallest, largest_ |
///
/// Cost an attempt: one evaluation of f for every stage but the first; one multiply-add a component for every weight.
/// All memory is taken before the first step.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "integrators/error_norm.hpp"
#include "integrators/ode_run.hpp"
#include "integrators/step_size.hpp"
#include "integrators/vector_operations.hpp"

namespace mbdbench {

/// One integration with a pair.
/// \tparam Pair the formulas: kOrder of the propagated solution, kNodes and kStages (weights of the stages after the
/// first, the propagated solution last), kError, extension_weights(theta); and what the method chooses:
/// kFirstFailureFloor, kDefaultRefine.
template <class Pair>
class RungeKuttaRun {
 public:
  RungeKuttaRun(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                const OdeOptions& options, OdeSink& sink)
      : run_(system, tspan, x0, options, sink, Pair::kDefaultRefine),
        tspan_(tspan),
        options_(options),
        norm_(options, system.size),
        rtol_(options.relative_tolerance),
        largest_(largest_step(tspan, options, kDefaultLargestStepFraction)),
        x_(x0.begin(), x0.end()),
        x_new_(system.size),
        error_(system.size),
        derivatives_(kDerivatives * system.size) {
    for (std::size_t stage = 0; stage < kDerivatives; ++stage) {
      k_[stage] = std::span(derivatives_).subspan(stage * system.size, system.size);
    }
  }

  OdeResult solve();

 private:
  static constexpr std::size_t kDerivatives = 1 + std::tuple_size_v<decltype(Pair::kStages)>;
  static constexpr double kExponent = 1.0 / Pair::kOrder;

  Derivatives<kDerivatives> derivatives() const {
    Derivatives<kDerivatives> pointers;
    std::transform(k_.begin(), k_.end(), pointers.begin(), [](std::span<const double> k) { return k.data(); });
    return pointers;
  }

  /// out = x + h sum_j weights_j k_j.
  template <std::size_t Count>
  void advance_to(std::span<double> out, double h, const std::array<double, Count>& weights) const {
    advance(out.size(), out.data(), x_.data(), h, weights, derivatives());
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
  std::array<std::span<double>, kDerivatives> k_;
};

template <class Pair>
double RungeKuttaRun<Pair>::initial_step() const {
  return first_step(
      tspan_[0], x_, k_[0], options_, norm_, largest_,
      {.relative_change = 0.8 * std::pow(rtol_, kExponent), .upper_limit = std::abs(tspan_[1] - tspan_[0])});
}

/// The stages of an attempt after the first; the state at t_new is left in x_new_, its derivative in the last of k_.
template <class Pair>
Evaluation RungeKuttaRun<Pair>::evaluate_stages(double t, double h, double t_new) {
  Evaluation outcome = Evaluation::ok;
  const auto stage = [&](const auto& weights) {
    if (outcome != Evaluation::ok) {
      return;
    }
    // As many weights as stages before it.
    const std::size_t index = weights.size();
    const double node = Pair::kNodes[index - 1];
    advance_to(x_new_, h, weights);
    outcome = run_.evaluate(node == 1.0 ? t_new : t + node * h, x_new_, k_[index]);
  };
  std::apply([&](const auto&... weights) { (stage(weights), ...); }, Pair::kStages);
  return outcome;
}

/// \returns the weighted norm of the estimated local error of an attempt with all its stages; the estimate stays in
/// error_.
template <class Pair>
double RungeKuttaRun<Pair>::measure_error(double step) {
  combine(error_.size(), error_.data(), step, Pair::kError, derivatives());
  return norm_.relative(error_, x_, x_new_);
}

template <class Pair>
OdeResult RungeKuttaRun<Pair>::solve() {
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
      Evaluation outcome = evaluate_stages(t, h, t_new);
      if (outcome == Evaluation::ended) {
        return run_.take();
      }
      error = std::numeric_limits<double>::infinity();
      if (outcome == Evaluation::ok) {
        error = measure_error(step);
        outcome = run_.confirmed(outcome);
      }
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
      const double factor =
          failed_before ? 0.5 : std::max(Pair::kFirstFailureFloor, 0.8 * std::pow(rtol_ / error, kExponent));
      step = std::max(smallest, factor * step);
      failed_before = true;
      last = false;
    }

    // t_new - t, not h: the sum t + h is rounded, and the continuous extension must meet x_new at t_new.
    const double h = t_new - t;
    const auto interpolate = [&](double t_sample, std::vector<double>& out) {
      advance_to(out, h, Pair::extension_weights((t_sample - t) / h));
    };
    if (!run_.accept(t_new, x_new_, k_.back(), interpolate)) {
      return run_.take();
    }
    if (!failed_before) {
      step /= std::max(0.2, 1.25 * std::pow(error / rtol_, kExponent));
    }
    t = t_new;
    std::swap(x_, x_new_);
    std::swap(k_[0], k_.back());
  }
  return run_.take();
}

}  // namespace mbdbench
