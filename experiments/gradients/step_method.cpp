#include "experiments/gradients/step_method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "integrators/step_size.hpp"
#include "integrators/vector_operations.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench::gradients {
namespace {

constexpr double kMostSteps = 1e9;

const std::array<StepMethod, 3>& all_methods() {
  static const std::array<StepMethod, 3> methods = {
      StepMethod{"rk2", {0.0, 0.5}, {{}, {0.5}}, {0.0, 1.0}},
      StepMethod{"rk4",
                 {0.0, 0.5, 0.5, 1.0},
                 {{}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}},
                 {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0}},
      // The sixth stage is for the estimate of the error alone.
      StepMethod{"rkf45-fixed",
                 {0.0, 1.0 / 4.0, 3.0 / 8.0, 12.0 / 13.0, 1.0},
                 {{},
                  {1.0 / 4.0},
                  {3.0 / 32.0, 9.0 / 32.0},
                  {1932.0 / 2197.0, -7200.0 / 2197.0, 7296.0 / 2197.0},
                  {439.0 / 216.0, -8.0, 3680.0 / 513.0, -845.0 / 4104.0}},
                 {25.0 / 216.0, 0.0, 1408.0 / 2565.0, 2197.0 / 4104.0, -1.0 / 5.0}}};
  return methods;
}

/// By the integrators' own loop: another one may be compiled to other roundings.
template <std::size_t Count>
void advance_by_terms(std::span<const double> x, double h, std::span<const double> weights, std::span<const double> k,
                      std::span<double> to) {
  std::array<double, Count> factors{};
  Derivatives<Count> derivatives{};
  for (std::size_t j = 0; j < Count; ++j) {
    factors[j] = weights[j];
    derivatives[j] = k.data() + j * x.size();
  }
  advance(x.size(), to.data(), x.data(), h, factors, derivatives);
}

}  // namespace

const StepMethod& step_method(std::string_view key) {
  std::vector<std::string> names;
  for (const StepMethod& method : all_methods()) {
    if (method.key == key) {
      return method;
    }
    names.emplace_back(method.key);
  }
  throw std::invalid_argument(
      fmt::format("method '{}' is no explicit Runge-Kutta method with a fixed step that gradients of runs know; {}",
                  key, suggest_name(key, names, "methods")));
}

void advance_by(std::span<const double> x, double h, std::span<const double> weights, std::span<const double> k,
                std::span<double> to) {
  switch (weights.size()) {
    case 0:
      std::copy(x.begin(), x.end(), to.begin());
      return;
    case 1:
      return advance_by_terms<1>(x, h, weights, k, to);
    case 2:
      return advance_by_terms<2>(x, h, weights, k, to);
    case 3:
      return advance_by_terms<3>(x, h, weights, k, to);
    case 4:
      return advance_by_terms<4>(x, h, weights, k, to);
    case 5:
      return advance_by_terms<5>(x, h, weights, k, to);
    default:
      throw std::logic_error("a method with more stages than are compiled");
  }
}

StepTimes::StepTimes(double t0, double tf, double step) : t0_(t0), tf_(tf) {
  if (!(step > 0.0) || !std::isfinite(step)) {
    throw std::invalid_argument(fmt::format("step: is {}; it must be a positive number of seconds", step));
  }
  const double interval = std::abs(tf - t0);
  if (!std::isfinite(interval) || interval == 0.0) {
    throw std::invalid_argument(fmt::format("times: the run goes from {} to {}; the end must be another time", t0, tf));
  }
  // As in integrators/fixed_step_loop.hpp: a remainder of some roundings of the quotient is not a step.
  step_ = std::copysign(std::min(step, interval), tf - t0);
  const double steps = std::ceil(interval / std::abs(step_) * (1.0 - 4.0 * std::numeric_limits<double>::epsilon()));
  if (steps > kMostSteps) {
    throw std::invalid_argument(fmt::format("step: {} s over {} s are {:.3g} steps; at most {:.0e} are taken", step,
                                            interval, steps, kMostSteps));
  }
  count_ = static_cast<std::size_t>(steps);
}

double StepTimes::size_of(std::size_t k) const {
  const double left = tf_ - at(k);
  // A last step that is shorter by rounding only is a step like the others.
  return k + 1 == count_ && std::abs(left - step_) > smallest_step(tf_) ? left : step_;
}

std::size_t StepTimes::index_of_time(double t) const {
  constexpr double kNear = 1e-6;
  if (!std::isfinite(t)) {
    throw std::invalid_argument(fmt::format("time {} is not a number", t));
  }
  const double nearest = std::clamp(std::round((t - t0_) / step_), 0.0, static_cast<double>(count_));
  auto k = static_cast<std::size_t>(nearest);
  if (std::abs(t - tf_) < std::abs(t - at(k))) {
    k = count_;  // the last step may be shorter
  }
  if (!(std::abs(t - at(k)) <= kNear * std::abs(step_))) {
    throw std::invalid_argument(
        fmt::format("time {} is no end of a step; the nearest is {}: choose a step that divides the times", t, at(k)));
  }
  return k;
}

}  // namespace mbdbench::gradients
