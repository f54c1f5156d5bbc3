#include "integrators/runge_kutta/fehlberg45.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "integrators/vector_operations.hpp"

namespace mbdbench {
namespace {

constexpr std::array kNodes = {1.0 / 4.0, 3.0 / 8.0, 12.0 / 13.0, 1.0, 1.0 / 2.0};
constexpr std::array kStage2 = {1.0 / 4.0};
constexpr std::array kStage3 = {3.0 / 32.0, 9.0 / 32.0};
constexpr std::array kStage4 = {1932.0 / 2197.0, -7200.0 / 2197.0, 7296.0 / 2197.0};
constexpr std::array kStage5 = {439.0 / 216.0, -8.0, 3680.0 / 513.0, -845.0 / 4104.0};
constexpr std::array kStage6 = {-8.0 / 27.0, 2.0, -3544.0 / 2565.0, 1859.0 / 4104.0, -11.0 / 40.0};
constexpr std::array kSolution = {25.0 / 216.0, 0.0, 1408.0 / 2565.0, 2197.0 / 4104.0, -1.0 / 5.0};
constexpr std::array kError = {1.0 / 360.0, 0.0, -128.0 / 4275.0, -2197.0 / 75240.0, 1.0 / 50.0, 2.0 / 55.0};

}  // namespace

Fehlberg45::Fehlberg45(bool propagate_higher_order, std::size_t size)
    : propagate_higher_order_(propagate_higher_order), error_(size), derivatives_((kStages - 1) * size) {}

Evaluation Fehlberg45::attempt(OdeRun& run, double t, double h, std::span<const double> x, std::span<const double> xdot,
                               std::span<double> x_new) {
  const std::size_t size = x.size();
  Derivatives<kStages> k{xdot.data()};
  const auto stage = [&](const auto& weights, std::size_t index) {
    advance(size, x_new.data(), x.data(), h, weights, k);
    const std::span<double> derivative = std::span(derivatives_).subspan((index - 1) * size, size);
    k[index] = derivative.data();
    return run.evaluate(t + kNodes[index - 1] * h, x_new, derivative);
  };
  Evaluation outcome = stage(kStage2, 1);
  if (outcome == Evaluation::ok) outcome = stage(kStage3, 2);
  if (outcome == Evaluation::ok) outcome = stage(kStage4, 3);
  if (outcome == Evaluation::ok) outcome = stage(kStage5, 4);
  if (outcome == Evaluation::ok) outcome = stage(kStage6, 5);
  if (outcome == Evaluation::ok) {
    combine(size, error_.data(), h, kError, k);
    advance(size, x_new.data(), x.data(), h, kSolution, k);
    if (propagate_higher_order_) {
      std::transform(error_.begin(), error_.end(), x_new.begin(), x_new.begin(), std::plus<>());
    }
  }
  return outcome;
}

namespace {

/// Weights of f_0 ... f_5 and of the derivative at the end at the fraction theta of a step.
std::array<double, 7> extension_weights(double theta) {
  const double square = theta * theta;
  return {theta * (432.0 + theta * (-1026.0 + theta * (956.0 - 312.0 * theta))) / 432.0,
          0.0,
          64.0 * square * (144.0 + theta * (-200.0 + 78.0 * theta)) / 2565.0,
          2197.0 * square * (-18.0 + theta * (44.0 - 24.0 * theta)) / 8208.0,
          square * (42.0 + theta * (-100.0 + 54.0 * theta)) / 20.0,
          0.0,
          0.5 * square * (theta - 1.0) * (5.0 * theta - 3.0)};
}

}  // namespace

void Fehlberg45::interpolate(double t, std::span<double> out, double t_old, double h, std::span<const double> x,
                             std::span<const double> xdot, std::span<const double> xdot_new) const {
  const std::size_t size = x.size();
  const double theta = (t - t_old) / h;
  Derivatives<7> k{xdot.data()};
  for (std::size_t stage = 1; stage < kStages; ++stage) {
    k[stage] = derivatives_.data() + (stage - 1) * size;
  }
  k[kStages] = xdot_new.data();
  advance(size, out.data(), x.data(), h, extension_weights(theta), k);
  if (propagate_higher_order_) {  // onto the state that is propagated, which differs by h^5
    const double onto_end = theta * theta * (3.0 - 2.0 * theta);
    for (std::size_t i = 0; i < size; ++i) {
      out[i] += onto_end * error_[i];
    }
  }
}

}  // namespace mbdbench
