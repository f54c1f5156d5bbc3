#include "experiments/gradients/steps/step_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "integrators/step_size.hpp"

namespace mbdbench::gradients {
namespace {

constexpr double kMostSteps = 1e9;

}  // namespace

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

StepTimes::StepTimes(std::vector<double> landings, std::vector<double> ends, std::vector<double> sizes)
    : t0_(ends.front()),
      tf_(ends.back()),
      count_(sizes.size()),
      landings_(std::move(landings)),
      ends_(std::move(ends)),
      sizes_(std::move(sizes)) {}

double StepTimes::size_of(std::size_t k) const {
  if (are_chosen()) {
    return sizes_[k];
  }
  const double left = tf_ - at(k);
  // A last step that is shorter by rounding only is a step like the others.
  return k + 1 == count_ && std::abs(left - step_) > smallest_step(tf_) ? left : step_;
}

double StepTimes::weight_of(std::size_t k) const {
  if (!are_chosen()) {
    return std::abs(size_of(k - 1));
  }
  const std::size_t place = place_in(landings_, at(k));
  return landings_[place] == at(k) ? std::abs(landings_[place] - landings_[place - 1]) : 0.0;
}

std::size_t StepTimes::place_in(const std::vector<double>& times, double t) const {
  const auto found = std::lower_bound(times.begin(), times.end(), t, [forward = tf_ > t0_](double one, double wanted) {
    return forward ? one < wanted : one > wanted;
  });
  return static_cast<std::size_t>(found - times.begin());
}

std::size_t StepTimes::index_of_time(double t) const {
  constexpr double kNear = 1e-6;
  if (!std::isfinite(t)) {
    throw std::invalid_argument(fmt::format("time {} is not a number", t));
  }
  if (are_chosen()) {
    return index_of_landing(t);
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

std::size_t StepTimes::index_of_landing(double t) const {
  const auto nearest = std::min_element(landings_.begin(), landings_.end(),
                                        [t](double a, double b) { return std::abs(a - t) < std::abs(b - t); });
  if (!(std::abs(*nearest - t) <= kNearLanding * std::abs(tf_ - t0_))) {
    throw std::invalid_argument(
        fmt::format("time {} is no end of a step whatever the numbers are; the nearest such time is {}: give the times "
                    "of measurements in land_on",
                    t, *nearest));
  }
  return place_in(ends_, *nearest);
}

}  // namespace mbdbench::gradients
