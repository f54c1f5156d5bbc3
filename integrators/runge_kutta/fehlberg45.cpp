#include "integrators/runge_kutta/fehlberg45.hpp"

#include <algorithm>
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

}  // namespace mbdbench
