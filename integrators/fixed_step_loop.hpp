#pragma once
/// \file
/// The loop around a one-step method with constant step: the suite's contract for samples, after_step, failures,
/// counts.
///
/// Times are t0 + k h, so that rounding does not add up; the last step is what remains to tf, shorter than h if h does
/// not divide the interval. Samples inside a step come from cubic Hermite interpolation, order 3; of methods of higher
/// order that ask for it (kSampleOrder), from a bootstrapped extension; or from the method's own (`interpolate`).
///
/// Cost: the method's own, and one evaluation of f a step at its end: it shows that the new state is one the run can go
/// on from, completes the interpolant, and is the first evaluation of the next step.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "integrators/hermite_interpolation.hpp"
#include "integrators/jacobians/bootstrapped_extension.hpp"
#include "integrators/ode_run.hpp"
#include "integrators/step_size.hpp"

namespace mbdbench {

/// What a method gives to the loop: one step of size h (signed) from x at t, where f(t, x) is xdot, to x_new. A method
/// that ends the run itself returns Evaluation::ended.
template <class Method>
concept FixedStepMethod = std::constructible_from<Method, const OdeOptions&, std::size_t> &&
    requires(Method method, OdeRun& run, double t, double h, std::span<const double> in, std::span<double> x_new) {
  { method.step(run, t, h, in, in, x_new) } -> std::same_as<Evaluation>;
};

/// A method whose samples inside a step have an order of their own, at evaluations of f inside that step.
template <class Method>
concept WithSampleOrder = requires {
  { Method::kSampleOrder } -> std::convertible_to<int>;
};

/// A method with a continuous extension of its own: of the last step, from x at t with step h to x_new.
template <class Method>
concept WithExtension = requires(const Method method, double t, double h, std::span<const double> in,
                                 std::vector<double>& out) {
  method.interpolate(t, out, t, h, in, in, in);
};

/// Solves with a fixed-step method. Samples: at the end of every step by default.
/// \throws std::invalid_argument as validate and validate_fixed_step do.
template <FixedStepMethod Method>
OdeResult solve_with_fixed_step(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                                const OdeOptions& options, OdeSink& sink) {
  OdeRun run(system, tspan, x0, options, sink, 1);
  validate_fixed_step(tspan, options);
  Method method(options, system.size);
  std::optional<BootstrappedExtension> extension;
  if constexpr (WithSampleOrder<Method>) {
    extension.emplace(Method::kSampleOrder, system.size);
  }
  std::vector<double> x(x0.begin(), x0.end());
  std::vector<double> x_new(system.size);
  std::vector<double> xdot(system.size);
  std::vector<double> xdot_new(system.size);
  if (!run.start(xdot)) {
    return run.take();
  }

  const double t0 = tspan.front();
  const double tf = tspan.back();
  const double interval = std::abs(tf - t0);
  const double step = std::copysign(std::min(options.fixed_step, interval), tf - t0);
  // A remainder of some roundings of the quotient is not a step.
  const double quotient = interval / std::abs(step);
  const double count = std::ceil(quotient * (1.0 - 4.0 * std::numeric_limits<double>::epsilon()));
  run.begin_attempt(std::abs(step));
  double t = t0;
  for (double k = 1.0; t != tf; ++k) {
    const bool last = k >= count;
    const double t_new = last ? tf : t0 + k * step;
    // A last step that is shorter by rounding only is a step like the others: multistep methods need equal ones.
    const double h = last && std::abs(tf - t - step) > smallest_step(tf) ? tf - t : step;
    Evaluation outcome = method.step(run, t, h, x, xdot, x_new);
    if (outcome == Evaluation::ok) {
      outcome = run.settled(run.evaluate(t_new, x_new, xdot_new));
    }
    if (outcome == Evaluation::not_finite) {
      run.end_not_finite();
    }
    const auto interpolate = [&](double t_sample, std::vector<double>& out) {
      if constexpr (WithSampleOrder<Method>) {
        return extension->at(run, {t, x, xdot, t_new, x_new, xdot_new}, t_sample, out);
      } else if constexpr (WithExtension<Method>) {
        method.interpolate(t_sample, out, t, h, x, xdot, xdot_new);
      } else {
        hermite_interpolation(t_sample, out, t, x, xdot, t_new, x_new, xdot_new);
      }
    };
    if (extension) {
      extension->begin_step();
    }
    if (outcome != Evaluation::ok || !run.accept(t_new, x_new, xdot_new, interpolate)) {
      return run.take();
    }
    t = t_new;
    std::swap(x, x_new);
    std::swap(xdot, xdot_new);
  }
  return run.take();
}

}  // namespace mbdbench
