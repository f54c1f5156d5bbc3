#include "integrators/runge_kutta/rkf45_restarted.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "integrators/ode_run.hpp"
#include "integrators/runge_kutta/fehlberg45.hpp"
#include "integrators/step_size.hpp"

namespace mbdbench {
namespace {

constexpr double kSmallestFactor = 0.1;
constexpr double kSafety = 0.9;
constexpr double kFirstShare = 0.1;  // of the time to the next output

/// \returns next step over this one: the error of a step grows with its fifth power. \param error over the tolerance
double step_factor(double error) {
  return std::max(kSmallestFactor, kSafety * std::pow(error, -1.0 / 5.0));
}

/// The component with the largest error over its tolerance, and that ratio.
struct LargestRatio {
  std::size_t component = 0;
  double ratio = -1.0;
};

LargestRatio largest_ratio(std::span<const double> error, const OdeOptions& options) {
  const std::vector<double>& tolerances = options.absolute_tolerance;
  LargestRatio largest;
  for (std::size_t i = 0; i < error.size(); ++i) {
    const double ratio = std::abs(error[i]) / tolerances[tolerances.size() == 1 ? 0 : i];
    if ((options.error_mask.empty() || options.error_mask[i]) && !(ratio <= largest.ratio)) {
      largest = {i, ratio};
    }
  }
  return largest;
}

}  // namespace

OdeResult rkf45_restarted(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                          const OdeOptions& options, OdeSink& sink) {
  OdeRun run(system, tspan, x0, options, sink, 1);
  if (tspan.back() < tspan.front()) {
    throw std::invalid_argument("rkf45-restarted: tspan must go forward in time");
  }
  Fehlberg45 pair(options.propagate_higher_order, system.size);
  std::vector<double> x(x0.begin(), x0.end());
  std::vector<double> x_new(system.size);
  std::vector<double> xdot(system.size);
  std::vector<double> xdot_new(system.size);
  if (!run.start(xdot)) {
    return run.take();
  }
  double t = tspan.front();
  for (std::size_t k = 1; k < tspan.size(); ++k) {
    const double target = tspan[k];
    double step = std::isnan(options.initial_step) ? kFirstShare * (target - t) : options.initial_step;
    while (t != target) {
      const bool last = step + smallest_step(t) >= target - t;
      const double h = last ? target - t : step;
      const double t_new = last ? target : t + h;
      run.begin_attempt(h);
      Evaluation outcome = pair.attempt(run, t, h, x, xdot, x_new);
      if (outcome == Evaluation::ended) {
        return run.take();
      }
      const bool finite = outcome == Evaluation::ok;
      const double error = finite ? largest_ratio(pair.error(), options).ratio : HUGE_VAL;
      const bool passed = error <= 1.0;
      const double next = h * (finite ? step_factor(error) : kSmallestFactor);
      // A step that was cut short to meet an output leaves the longer one in force.
      step = passed && h < step ? std::max(step, next) : next;
      if (!passed) {
        run.reject();
        if (step <= smallest_step(t)) {
          if (finite) {
            run.end_step_too_small(smallest_step(t), largest_ratio(pair.error(), options).component, "error");
          } else {
            run.end_not_finite();
          }
          return run.take();
        }
        continue;
      }
      outcome = run.evaluate(t_new, x_new, xdot_new);
      if (outcome != Evaluation::ok) {
        if (outcome == Evaluation::not_finite) {
          run.end_not_finite();
        }
        return run.take();
      }
      run.record_local_error(pair.error());
      const auto interpolate = [&](double t_sample, std::vector<double>& out) {
        pair.interpolate(t_sample, out, t, h, x, xdot, xdot_new);
      };
      if (!run.accept(t_new, x_new, xdot_new, interpolate)) {
        return run.take();
      }
      t = t_new;
      std::swap(x, x_new);
      std::swap(xdot, xdot_new);
    }
  }
  return run.take();
}

}  // namespace mbdbench
