#include "integrators/matlab/order_one_start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "integrators/step_size.hpp"
#include "integrators/vector_span.hpp"

namespace mbdbench {

Evaluation order_one_step(OdeRun& run, const StartingPoint& start, const ErrorNorm& norm, double relative_tolerance,
                          double limit, Eigen::VectorXd& second_derivative, double& step) {
  constexpr double kSafety = 0.8;
  const auto& [t, x, f, jacobian] = start;
  const double largest = std::abs(limit);
  // A step by the rate alone gives the scale on which t may be moved.
  const FirstStepRule rule{.relative_change = kSafety * std::sqrt(relative_tolerance), .upper_limit = largest};
  const double by_rate = automatic_step(t, as_span(x), as_span(f), norm, largest, rule);
  const double scale = std::max(std::abs(t), std::abs(t + std::copysign(by_rate, limit)));
  const double root_epsilon = std::sqrt(std::numeric_limits<double>::epsilon());
  const double increment = (t + std::copysign(std::min(root_epsilon * scale, by_rate), limit)) - t;
  const Evaluation outcome = run.evaluate(t + increment, as_span(x), as_span(second_derivative));
  if (outcome != Evaluation::ok) {
    return outcome;
  }
  second_derivative = (second_derivative - f) / increment;
  second_derivative.noalias() += jacobian * f;
  const double curvature = norm.relative(as_span(second_derivative), as_span(x), as_span(x));
  step = std::max(smallest_step(t), std::min(largest, kSafety / std::sqrt(0.5 * curvature / relative_tolerance)));
  return outcome;
}

}  // namespace mbdbench
