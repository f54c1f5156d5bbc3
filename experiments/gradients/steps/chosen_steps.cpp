#include "experiments/gradients/steps/chosen_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "experiments/gradients/steps/run_failure.hpp"
#include "experiments/simulation/simulation.hpp"
#include "integrators/attempt_sink.hpp"
#include "integrators/registry.hpp"

namespace mbdbench::gradients {
namespace {

constexpr std::size_t kAttemptsBetweenWatches = 64;

/// Notes ends and sizes of accepted steps.
class StepNotes : public AttemptSink {
 public:
  StepNotes(double t0, double direction, double most, const std::function<void()>& watch)
      : direction_(direction), most_(most), watch_(&watch), ends_({t0}) {}

  [[nodiscard]] bool wants_samples() const override { return false; }
  bool sample(double /*t*/, std::span<const double> /*x*/) override { return true; }
  void attempt(double size) override {
    size_ = size;
    if (*watch_ && ++attempts_ % kAttemptsBetweenWatches == 0) {
      (*watch_)();
    }
  }
  bool step(double t, std::span<const double> /*x*/, const OdeStatistics& /*so_far*/) override {
    ends_.push_back(t);
    sizes_.push_back(direction_ * size_);
    if (static_cast<double>(sizes_.size()) > most_) {
      throw std::invalid_argument(
          fmt::format("memory: what is allowed is full with {} steps at t = {}; give larger tolerances, or more memory",
                      sizes_.size(), t));
    }
    return true;
  }

  /// \returns the size with which to go on behind a landing.
  [[nodiscard]] double next_size() const {
    double size = 0.0;
    for (std::size_t k = sizes_.size() - std::min<std::size_t>(2, sizes_.size()); k < sizes_.size(); ++k) {
      size = std::max(size, std::abs(sizes_[k]));
    }
    return size;
  }
  [[nodiscard]] bool is_empty() const { return sizes_.empty(); }
  [[nodiscard]] StepTimes times(std::span<const double> landings) {
    return {{landings.begin(), landings.end()}, std::move(ends_), std::move(sizes_)};
  }

 private:
  double direction_;
  double most_;
  const std::function<void()>* watch_;
  std::size_t attempts_ = 0;
  double size_ = 0.0;
  std::vector<double> ends_;
  std::vector<double> sizes_;
};

}  // namespace

std::vector<double> ordered_landings(double t0, double tf, std::span<const double> land_on,
                                     std::span<const double> kinks) {
  const double interval = std::abs(tf - t0);
  if (!std::isfinite(interval) || interval == 0.0) {
    throw std::invalid_argument(fmt::format("times: the run goes from {} to {}; the end must be another time", t0, tf));
  }
  const double near = StepTimes::kNearLanding * interval;
  std::vector<double> all = {t0, tf};
  const auto add_inner = [&](double t) {
    if (std::min(t0, tf) + near < t && t < std::max(t0, tf) - near) {
      all.push_back(t);
    }
  };
  for (const double t : land_on) {
    if (!(std::min(t0, tf) - near <= t && t <= std::max(t0, tf) + near)) {
      throw std::invalid_argument(fmt::format("land_on: time {} is not in the run from {} to {}", t, t0, tf));
    }
    add_inner(t);
  }
  std::for_each(kinks.begin(), kinks.end(), add_inner);
  std::sort(all.begin(), all.end(), [forward = tf > t0](double a, double b) { return forward ? a < b : a > b; });
  all.erase(std::unique(all.begin(), all.end(), [near](double a, double b) { return std::abs(b - a) <= near; }),
            all.end());
  return all;
}

StepTimes chosen_steps(Formulation& formulation, const StepMethod& method, const StepTolerances& tolerances,
                       std::span<const double> landings, std::span<const double> x0, double most,
                       const std::function<void()>& watch) {
  const OdeEntry& integrator = *find_integrator(integrator_registry(), method.key);
  const OdeSystem system = ode_system(formulation);
  const double interval = std::abs(landings.back() - landings.front());
  OdeOptions options;
  options.relative_tolerance = tolerances.relative;
  options.absolute_tolerance = {tolerances.absolute};
  options.max_step = method.largest_step * interval;
  StepNotes notes(landings.front(), landings.back() > landings.front() ? 1.0 : -1.0, most, watch);
  std::vector<double> x(x0.begin(), x0.end());
  for (std::size_t k = 0; k + 1 < landings.size(); ++k) {
    if (!notes.is_empty()) {
      options.initial_step = notes.next_size();
    }
    OdeResult result = integrator.solve(system, landings.subspan(k, 2), x, options, notes);
    if (result.status != OdeStatus::ok) {
      throw RunFailure(fmt::format("{}: {}", method.key, result.message));
    }
    x = std::move(result.x);
  }
  return notes.times(landings);
}

}  // namespace mbdbench::gradients
