#include "integrators/step_size.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mbdbench {

double smallest_step(double t) {
  const double magnitude = std::abs(t);
  return 16.0 * (std::nextafter(magnitude, std::numeric_limits<double>::infinity()) - magnitude);
}

double largest_step(std::span<const double> tspan, const OdeOptions& options, double fraction) {
  const double interval = std::abs(tspan.back() - tspan.front());
  return std::isnan(options.max_step) ? fraction * interval : std::min(options.max_step, interval);
}

double automatic_step(double t, std::span<const double> x, std::span<const double> f, const ErrorNorm& norm,
                      double largest, const FirstStepRule& rule) {
  const double rate = norm.relative(f, x, x) / rule.relative_change;
  double step = std::min(largest, rule.upper_limit);
  if (step * rate > 1.0) {
    step = 1.0 / rate;
  }
  return std::min(largest, std::max(smallest_step(t), step));
}

double first_step(double t0, std::span<const double> x0, std::span<const double> f0, const OdeOptions& options,
                  const ErrorNorm& norm, double largest, const FirstStepRule& rule) {
  return std::isnan(options.initial_step) ? automatic_step(t0, x0, f0, norm, largest, rule)
                                          : std::min(largest, std::max(smallest_step(t0), options.initial_step));
}

}  // namespace mbdbench
