#include "experiments/naudet2005/restarted_fehlberg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "integrators/hermite_interpolation.hpp"
#include "integrators/ode_run.hpp"
#include "integrators/runge_kutta/fehlberg45.hpp"
#include "integrators/step_size.hpp"

namespace mbdbench::naudet2005 {
namespace {

constexpr double kSmallestFactor = 0.1;
constexpr double kSafety = 0.9;
constexpr double kExponent = 1.0 / 5.0;

/// \returns next step over this one. \param error over the tolerance
double step_factor(double error) {
  return std::max(kSmallestFactor, kSafety * std::pow(error, -kExponent));
}

std::size_t largest_component(std::span<const double> error, const std::vector<bool>& mask) {
  std::size_t largest = 0;
  double size = -1.0;
  for (std::size_t i = 0; i < error.size(); ++i) {
    if ((mask.empty() || mask[i]) && !(std::abs(error[i]) <= size)) {
      largest = i;
      size = std::abs(error[i]);
    }
  }
  return largest;
}

}  // namespace

OdeResult restarted_fehlberg(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                             const OdeOptions& options, OdeSink& sink) {
  OdeRun run(system, tspan, x0, options, sink, 1);
  if (!(options.initial_step > 0.0)) {
    throw std::invalid_argument(fmt::format("initial_step = {} must be set and positive", options.initial_step));
  }
  if (tspan.back() < tspan.front()) {
    throw std::invalid_argument("tspan must go forward in time");
  }
  Fehlberg45 pair(options.propagate_higher_order, system.size);
  const double tolerance = options.absolute_tolerance.front();
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
    double step = options.initial_step;
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
      const double error =
          finite ? std::abs(pair.error()[largest_component(pair.error(), options.error_mask)]) / tolerance : HUGE_VAL;
      const bool passed = error <= 1.0;
      const double next = h * (finite ? step_factor(error) : kSmallestFactor);
      // A step that was cut short to meet an output leaves the longer one in force.
      step = passed && h < step ? std::max(step, next) : next;
      if (!passed) {
        run.reject();
        if (step <= smallest_step(t)) {
          if (finite) {
            run.end_step_too_small(smallest_step(t), largest_component(pair.error(), options.error_mask), "error");
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
        hermite_interpolation(t_sample, out, t, x, xdot, t_new, x_new, xdot_new);
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

OdeEntry restarted_fehlberg_entry() {
  OdeEntry entry;
  entry.key = kRestartedFehlberg;
  entry.summary = "Fehlberg 4(5) started anew at every output time";
  entry.source = "Fehlberg1969";
  entry.order = 4;
  entry.solve = restarted_fehlberg;
  entry.embedded_lower_order = true;
  return entry;
}

}  // namespace mbdbench::naudet2005
