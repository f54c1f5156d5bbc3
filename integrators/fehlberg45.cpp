#include "integrators/fehlberg45.hpp"

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

/// \returns sum_j weights_j k_j of one component.
template <std::size_t Count, std::size_t Stages>
double weighted(const std::array<double, Count>& weights, const std::array<std::span<const double>, Stages>& k,
                std::size_t component) {
  double sum = 0.0;
  for (std::size_t j = 0; j < Count; ++j) {
    sum += weights[j] * k[j][component];
  }
  return sum;
}

}  // namespace

Fehlberg45::Fehlberg45(bool propagate_higher_order, std::size_t size)
    : propagate_higher_order_(propagate_higher_order), error_(size), derivatives_((kStages - 1) * size) {}

Evaluation Fehlberg45::attempt(OdeRun& run, double t, double h, std::span<const double> x, std::span<const double> xdot,
                               std::span<double> x_new) {
  const std::size_t size = x.size();
  k_[0] = xdot;
  const auto stage = [&](const auto& weights, std::size_t index) {
    for (std::size_t i = 0; i < size; ++i) {
      x_new[i] = x[i] + h * weighted(weights, k_, i);
    }
    const std::span<double> derivative = std::span(derivatives_).subspan((index - 1) * size, size);
    k_[index] = derivative;
    return run.evaluate(t + kNodes[index - 1] * h, x_new, derivative);
  };
  Evaluation outcome = stage(kStage2, 1);
  if (outcome == Evaluation::ok) outcome = stage(kStage3, 2);
  if (outcome == Evaluation::ok) outcome = stage(kStage4, 3);
  if (outcome == Evaluation::ok) outcome = stage(kStage5, 4);
  if (outcome == Evaluation::ok) outcome = stage(kStage6, 5);
  if (outcome == Evaluation::ok) {
    for (std::size_t i = 0; i < size; ++i) {
      error_[i] = h * weighted(kError, k_, i);
      x_new[i] = x[i] + h * weighted(kSolution, k_, i) + (propagate_higher_order_ ? error_[i] : 0.0);
    }
  }
  return outcome;
}

}  // namespace mbdbench
