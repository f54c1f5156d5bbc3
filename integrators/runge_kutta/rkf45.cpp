/// \file
/// L. F. Shampine, H. A. Watts, S. M. Davenport, Solving nonstiff ordinary differential equations - the state of the
/// art, SIAM Review 18 (1976) 376-411: the step size control around Fehlberg's pair (fehlberg45.hpp).
///
/// | paper | here |
/// |---|---|
/// | h, hmin | step, smallest |
/// | est / tol | error / rtol |
/// | 0.9 (tol / est)^(1/5), at most 5, at least 1/10 | factor |
///
/// A step that failed may not grow after it has passed. First and largest step are ode45's (step_size.hpp).
///
/// Cost an attempt: 5 evaluations of f, one more when it is accepted. All memory is taken before the first step.
#include "integrators/runge_kutta/rkf45.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "integrators/error_norm.hpp"
#include "integrators/fixed_step_loop.hpp"
#include "integrators/ode_run.hpp"
#include "integrators/runge_kutta/fehlberg45.hpp"
#include "integrators/step_size.hpp"

namespace mbdbench {
namespace {

constexpr double kExponent = 1.0 / 5.0;
constexpr double kLargestStepFraction = 0.1;

class FixedFehlberg45 {
 public:
  FixedFehlberg45(const OdeOptions& options, std::size_t size) : pair_(options.propagate_higher_order, size) {}

  Evaluation step(OdeRun& run, double t, double h, std::span<const double> x, std::span<const double> xdot,
                  std::span<double> x_new) {
    const Evaluation outcome = pair_.attempt(run, t, h, x, xdot, x_new);
    if (outcome == Evaluation::ok) {
      run.record_local_error(pair_.error());
    }
    return outcome;
  }

  void interpolate(double t, std::vector<double>& out, double t_old, double h, std::span<const double> x,
                   std::span<const double> xdot, std::span<const double> xdot_new) const {
    pair_.interpolate(t, out, t_old, h, x, xdot, xdot_new);
  }

 private:
  Fehlberg45 pair_;
};

}  // namespace

OdeResult rkf45_fixed(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                      const OdeOptions& options, OdeSink& sink) {
  return solve_with_fixed_step<FixedFehlberg45>(system, tspan, x0, options, sink);
}

OdeResult rkf45(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                const OdeOptions& options, OdeSink& sink) {
  OdeRun run(system, tspan, x0, options, sink, 1);
  Fehlberg45 pair(options.propagate_higher_order, system.size);
  const ErrorNorm norm(options, system.size);
  std::vector<double> x(x0.begin(), x0.end());
  std::vector<double> x_new(system.size);
  std::vector<double> xdot(system.size);
  std::vector<double> xdot_new(system.size);
  if (!run.start(xdot)) {
    return run.take();
  }

  const double rtol = options.relative_tolerance;
  const double tf = tspan.back();
  double t = tspan.front();
  const double direction = tf > t ? 1.0 : -1.0;
  const double largest = largest_step(tspan, options, kLargestStepFraction);
  const FirstStepRule rule{.relative_change = 0.8 * std::pow(rtol, kExponent), .upper_limit = largest};
  double step = first_step(t, x, xdot, options, norm, largest, rule);
  bool failed_before = false;
  while (t != tf) {
    const double smallest = smallest_step(t);
    step = std::min(largest, std::max(smallest, step));
    // A remainder below the smallest step would be rounding, not a step: the last step takes it along.
    const bool last = step + smallest >= std::abs(tf - t);
    if (last) {
      step = std::abs(tf - t);
    }
    run.begin_attempt(step);
    const double h = direction * step;
    const double t_new = last ? tf : t + h;
    Evaluation outcome = pair.attempt(run, t, h, x, xdot, x_new);
    double error = std::numeric_limits<double>::infinity();
    if (outcome == Evaluation::ok) {
      error = norm.relative(pair.error(), x, x_new);
      outcome = run.confirmed(outcome);
    }
    if (error <= rtol) {
      outcome = run.settled(run.evaluate(t_new, x_new, xdot_new));
    }
    if (outcome == Evaluation::ended) {
      return run.take();
    }
    const double factor = 0.9 * std::pow(rtol / error, kExponent);
    if (error <= rtol && outcome == Evaluation::ok) {
      run.record_local_error(pair.error());
      const auto interpolate = [&](double t_sample, std::vector<double>& out) {
        pair.interpolate(t_sample, out, t, h, x, xdot, xdot_new);
      };
      if (!run.accept(t_new, x_new, xdot_new, interpolate)) {
        return run.take();
      }
      step *= std::clamp(factor, 0.1, failed_before ? 1.0 : 5.0);
      failed_before = false;
      t = t_new;
      std::swap(x, x_new);
      std::swap(xdot, xdot_new);
      continue;
    }
    run.reject();
    if (step <= smallest) {
      if (outcome == Evaluation::ok) {
        run.end_step_too_small(smallest, norm.dominant_component(pair.error(), x, x_new), "error");
      } else {
        run.end_not_finite();
      }
      return run.take();
    }
    // A small error before a derivative that is not finite says nothing about the step to try.
    step *= outcome == Evaluation::ok ? std::max(0.1, factor) : 0.1;
    failed_before = true;
  }
  return run.take();
}

}  // namespace mbdbench
