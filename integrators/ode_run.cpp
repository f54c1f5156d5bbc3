#include "integrators/ode_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "integrators/ode_partners.hpp"
#include "integrators/vector_operations.hpp"

namespace mbdbench {
namespace {

/// Of the tolerance. A norm of root mean squares lets single components err by more than the tolerance, and what a
/// projection takes away is the error of more than one step where it acts beyond a threshold only: at 1 cvode-bdf
/// restarts again and again (a projected pendulum over 2 s: 13925 evaluations, 145 at 10 and at 100). Where a stiff
/// loop turns fast, the error of its positions becomes one of its velocities times their rates: at 10 Andrews' squeezer
/// at 1e-10 took 22286 evaluations, at 50 and above 2300, as without projections, and ended closer to its reference.
constexpr double kLargestShift = 100.0;

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
      attempts_(dynamic_cast<AttemptSink*>(&sink)),
      max_evaluations_(options.max_evaluations),
      record_local_error_(options.record_local_error),
      partners_(options.partners),
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
  const Evaluation evaluation = settled(evaluate(result_.t, result_.x, f0));
  if (evaluation == Evaluation::not_finite) {
    end_not_finite();
  }
  return evaluation == Evaluation::ok;
}

void OdeRun::begin_attempt(double size) {
  if (result_.statistics.nsteps == 0 && result_.statistics.nfailed == 0) {
    result_.first_step = size;
  }
  if (attempts_ != nullptr) {
    attempts_->attempt(size);
  }
}

bool OdeRun::all_finite(double t, std::span<const double> values, std::string_view name) {
  if (mbdbench::all_finite(values)) {
    return true;
  }
  const auto bad = std::find_if_not(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  reached_too_far_.clear();
  not_finite_ = {t, *bad, static_cast<std::size_t>(bad - values.begin()), name, {values.begin(), values.end()}};
  return false;
}

Evaluation OdeRun::evaluate(double t, std::span<const double> x, std::span<double> xdot) {
  if (partners_ != nullptr) {
    return evaluate_with_partners(t, x, xdot);
  }
  if (!all_finite(t, x, "value")) {
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
    return failed(fmt::format("f failed at t = {}: {}", t, failure));
  }
  if (!all_finite(t, xdot, "rate")) {
    not_finite_.x.assign(x.begin(), x.end());
    return Evaluation::not_finite;
  }
  return Evaluation::ok;
}

/// \param failure what the result says unless a shorter step may avoid it
Evaluation OdeRun::failed(std::string failure) {
  if (system_.reached_too_far && system_.reached_too_far()) {
    reached_too_far_ = std::move(failure);
    return Evaluation::not_finite;
  }
  end(OdeStatus::rhs_failed, std::move(failure));
  return Evaluation::ended;
}

Evaluation OdeRun::exact_jacobian(double t, std::span<const double> x, Eigen::MatrixXd& jacobian) {
  if (!all_finite(t, x, "value")) {
    return Evaluation::not_finite;
  }
  const std::size_t size = x.size();
  rows_.resize(size * size);
  if (const std::string failure = system_.jacobian(t, x, rows_); !failure.empty()) {
    return failed(fmt::format("df/dx failed at t = {}: {}", t, failure));
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      const double entry = is_constant(j) ? 0.0 : rows_[i * size + j];
      if (!std::isfinite(entry)) {
        reached_too_far_.clear();
        not_finite_ = {t, entry, i, "derivative of the rate", {x.begin(), x.end()}};
        return Evaluation::not_finite;
      }
      jacobian(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = entry;
    }
  }
  return Evaluation::ok;
}

/// f itself tells all processes of a state that is not finite. A derivative that is not makes the next state so, or the
/// next norm infinite.
Evaluation OdeRun::evaluate_with_partners(double t, std::span<const double> x, std::span<double> xdot) {
  if (result_.statistics.nfevals >= max_evaluations_) {
    end(OdeStatus::evaluation_limit,
        fmt::format("the limit of {} evaluations is reached at t = {}", max_evaluations_, t));
    return Evaluation::ended;
  }
  const std::string failure = system_.rhs(t, x, xdot);
  if (!failure.empty()) {
    // Where the last derivative was not finite, that is what is kept for the message.
    if (!partners_->in_doubt() && !all_finite(t, x, "value")) {
      partners_->doubt();
    }
    partners_->agree({});
    if (partners_->doubted()) {
      return Evaluation::not_finite;
    }
    ++result_.statistics.nfevals;
    end(OdeStatus::rhs_failed, fmt::format("f failed at t = {}: {}", t, failure));
    return Evaluation::ended;
  }
  ++result_.statistics.nfevals;
  if (!all_finite(t, xdot, "rate")) {
    partners_->doubt();
  }
  return Evaluation::ok;
}

Evaluation OdeRun::settled(Evaluation outcome) {
  if (partners_ != nullptr && outcome == Evaluation::ok) {
    partners_->agree({});
  }
  return confirmed(outcome);
}

Evaluation OdeRun::confirmed(Evaluation outcome) const {
  return partners_ != nullptr && outcome == Evaluation::ok && partners_->doubted() ? Evaluation::not_finite : outcome;
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

void OdeRun::shift_small_changes(const OdeOptions& options) {
  OdeOptions all_components = options;
  all_components.error_mask.clear();
  largest_shift_ = kLargestShift * options.relative_tolerance;
  shift_norm_.emplace(all_components, system_.size);
}

/// L. F. Shampine, Conservation laws and the numerical solution of ODEs, Comput. Math. Appl. 12B (1986) 1287-1296: a
/// change within the error of a step turns one good solution into another.
/// \returns whether it is more than a shift.
bool OdeRun::apply_after_step(double t_new, std::span<double> x_new) {
  if (!system_.after_step) {
    return false;
  }
  if (!shift_norm_) {
    return system_.after_step(t_new, x_new);
  }
  std::copy(x_new.begin(), x_new.end(), result_.x.begin());
  if (!system_.after_step(t_new, x_new)) {
    return false;
  }
  std::transform(x_new.begin(), x_new.end(), result_.x.begin(), result_.x.begin(), std::minus<>());
  return !(shift_norm_->relative(result_.x, x_new, x_new) <= largest_shift_);
}

bool OdeRun::finish_step(double t_new, std::span<double> x_new, std::span<double> f_new, bool wanted) {
  restart_needed_ = apply_after_step(t_new, x_new);
  result_.t = t_new;
  std::copy(x_new.begin(), x_new.end(), result_.x.begin());
  // A sink that has asked to stop is not called again and f is not evaluated for nobody.
  if (wanted) {
    // The accepted step reaches the sink, with every evaluation counted, even if the new state is one where f fails.
    const Evaluation evaluation = restart_needed_ ? evaluate(t_new, x_new, f_new) : Evaluation::ok;
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
  } else if (inside_ == Evaluation::not_finite) {
    end_not_finite();
  }
  return wanted && inside_ == Evaluation::ok;
}

void OdeRun::end_step_too_small(double smallest, std::size_t component, std::string_view measure) {
  end(OdeStatus::step_too_small,
      fmt::format("at t = {} the step would fall below {:.3g}, the smallest meaningful one; the relative {} of {} is "
                  "the largest",
                  result_.t, smallest, measure, component_name(component, result_.t, result_.x)));
}

void OdeRun::end_method_failed(std::string_view why) {
  end(OdeStatus::method_failed, fmt::format("at t = {}: {}", result_.t, why));
}

void OdeRun::end_not_finite() {
  if (!reached_too_far_.empty()) {
    end(OdeStatus::rhs_failed, std::move(reached_too_far_));
    return;
  }
  // The sign of a NaN means nothing and depends on the processor.
  const double value = std::isnan(not_finite_.value) ? std::abs(not_finite_.value) : not_finite_.value;
  const auto message = [&](const std::string& component) {
    return fmt::format("the {} of {} is {} at t = {}", not_finite_.name, component, value, not_finite_.t);
  };
  if (partners_ == nullptr) {
    end(OdeStatus::not_finite, message(component_name(not_finite_.component, not_finite_.t, not_finite_.x)));
  } else {
    // Only some processes have seen it; what a component is called may need all of them.
    end(OdeStatus::not_finite,
        partners_->first_text(not_finite_.name.empty()
                                  ? ""
                                  : message(fmt::format("component {}", partners_->component(not_finite_.component)))));
  }
}

std::string OdeRun::component_name(std::size_t component, double t, std::span<const double> x) const {
  // On processes what a component is called may need all of them.
  const bool named = partners_ == nullptr && system_.component_name;
  return named ? system_.component_name(component, t, x) : fmt::format("component {}", component);
}

void OdeRun::end(OdeStatus status, std::string message) {
  result_.status = status;
  result_.message = std::move(message);
}

}  // namespace mbdbench
