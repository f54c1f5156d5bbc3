#include "integrators/ode_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mbdbench {
namespace {

/// Validation comes before any member is built from the arguments.
std::span<const double> validated_tspan(const OdeSystem& system, std::span<const double> tspan,
                                        std::span<const double> x0, const OdeOptions& options) {
  validate(system, tspan, x0, options);
  return tspan;
}

}  // namespace

OdeRun::OdeRun(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
               const OdeOptions& options, OdeSink& sink, int default_refine)
    : system_(system),
      sink_(sink),
      max_evaluations_(options.max_evaluations),
      record_local_error_(options.record_local_error),
      output_(validated_tspan(system, tspan, x0, options), system.size,
              options.refine == 0 ? default_refine : options.refine, sink) {
  result_.t = tspan.front();
  result_.x.assign(x0.begin(), x0.end());
}

bool OdeRun::start(std::span<double> f0) {
  if (!output_.initial(result_.x)) {
    end(OdeStatus::stopped, fmt::format("the sink asked to stop at t = {}", result_.t));
    return false;
  }
  const Evaluation evaluation = evaluate(result_.t, result_.x, f0);
  if (evaluation == Evaluation::not_finite) {
    end_not_finite();
  }
  return evaluation == Evaluation::ok;
}

void OdeRun::begin_attempt(double size) {
  if (result_.statistics.nsteps == 0 && result_.statistics.nfailed == 0) {
    result_.first_step = size;
  }
}

bool OdeRun::all_finite(double t, std::span<const double> values, std::string_view name) {
  const auto bad = std::find_if_not(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  if (bad == values.end()) {
    return true;
  }
  not_finite_ = {t, *bad, static_cast<std::size_t>(bad - values.begin()), name};
  return false;
}

Evaluation OdeRun::evaluate(double t, std::span<const double> x, std::span<double> xdot) {
  if (!all_finite(t, x, "x")) {
    return Evaluation::not_finite;
  }
  if (result_.statistics.nfevals >= max_evaluations_) {
    end(OdeStatus::evaluation_limit,
        fmt::format("the limit of {} evaluations is reached at t = {}", max_evaluations_, t));
    return Evaluation::ended;
  }
  ++result_.statistics.nfevals;
  const std::string failure = system_.rhs(t, x, xdot);
  if (!failure.empty()) {
    end(OdeStatus::rhs_failed, fmt::format("f failed at t = {}: {}", t, failure));
    return Evaluation::ended;
  }
  return all_finite(t, xdot, "xdot") ? Evaluation::ok : Evaluation::not_finite;
}

void OdeRun::record_local_error(std::span<const double> error) {
  if (!record_local_error_) {
    return;
  }
  std::vector<double>& mean = result_.statistics.mean_local_error;
  mean.resize(error.size());
  const double count = static_cast<double>(result_.statistics.nsteps + 1);
  for (std::size_t i = 0; i < error.size(); ++i) {
    mean[i] += (std::abs(error[i]) - mean[i]) / count;
  }
}

bool OdeRun::finish_step(double t_new, std::span<double> x_new, std::span<double> f_new, bool wanted) {
  state_changed_ = system_.after_step && system_.after_step(t_new, x_new);
  result_.t = t_new;
  std::copy(x_new.begin(), x_new.end(), result_.x.begin());
  // A sink that has asked to stop is not called again and f is not evaluated for nobody.
  if (wanted) {
    // The accepted step reaches the sink, with every evaluation counted, even if the new state is one where f fails.
    const Evaluation evaluation = state_changed_ ? evaluate(t_new, x_new, f_new) : Evaluation::ok;
    wanted = output_.end(t_new, x_new) && sink_.step(t_new, x_new, result_.statistics);
    if (evaluation == Evaluation::not_finite) {
      end_not_finite();
    }
    if (evaluation != Evaluation::ok) {
      return false;
    }
  }
  if (!wanted) {
    end(OdeStatus::stopped, fmt::format("the sink asked to stop at t = {}", t_new));
  }
  return wanted;
}

void OdeRun::end_step_too_small(double smallest, std::size_t component, std::string_view measure) {
  end(OdeStatus::step_too_small,
      fmt::format(
          "at t = {} the step would fall below {:.3g}, the smallest meaningful one; the relative {} of component {} "
          "is the largest",
          result_.t, smallest, measure, component));
}

void OdeRun::end_method_failed(std::string_view why) {
  end(OdeStatus::method_failed, fmt::format("at t = {}: {}", result_.t, why));
}

void OdeRun::end_not_finite() {
  // The sign of a NaN means nothing and depends on the processor.
  const double value = std::isnan(not_finite_.value) ? std::abs(not_finite_.value) : not_finite_.value;
  end(OdeStatus::not_finite,
      fmt::format("{}[{}] = {} at t = {}", not_finite_.name, not_finite_.component, value, not_finite_.t));
}

void OdeRun::end(OdeStatus status, std::string message) {
  result_.status = status;
  result_.message = std::move(message);
}

}  // namespace mbdbench
