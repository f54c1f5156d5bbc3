#include "integrators/ode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "integrators/step_size.hpp"

namespace mbdbench {
namespace {

/// Below this MATLAB's solvers refuse to believe a relative tolerance: the error estimate is then rounding noise.
constexpr double kSmallestRelativeTolerance = 100.0 * std::numeric_limits<double>::epsilon();

[[noreturn]] void refuse(const std::string& message) {
  throw std::invalid_argument(message);
}

void validate_tspan(std::span<const double> tspan) {
  if (tspan.size() < 2) {
    refuse(fmt::format("tspan has {} entries; it needs at least two, the first and the last time", tspan.size()));
  }
  for (std::size_t i = 0; i < tspan.size(); ++i) {
    if (!std::isfinite(tspan[i])) {
      refuse(fmt::format("tspan[{}] = {} is not finite", i, tspan[i]));
    }
  }
  const bool forward = tspan.back() > tspan.front();
  for (std::size_t i = 1; i < tspan.size(); ++i) {
    if (tspan[i] == tspan[i - 1] || (tspan[i] > tspan[i - 1]) != forward) {
      refuse(fmt::format("tspan[{}] = {} after tspan[{}] = {}: tspan must strictly increase or strictly decrease", i,
                         tspan[i], i - 1, tspan[i - 1]));
    }
  }
}

void validate_tolerances(std::size_t size, const OdeOptions& options) {
  if (!(options.relative_tolerance >= kSmallestRelativeTolerance) || !std::isfinite(options.relative_tolerance)) {
    refuse(fmt::format("relative_tolerance = {} must be finite and at least {:.3g} (100 eps)",
                       options.relative_tolerance, kSmallestRelativeTolerance));
  }
  const std::size_t entries = options.absolute_tolerance.size();
  if (entries != 1 && entries != size) {
    refuse(fmt::format("absolute_tolerance has {} entries; it needs 1 or one a component ({})", entries, size));
  }
  if (options.norm_control && entries != 1) {
    refuse(fmt::format("absolute_tolerance has {} entries; norm_control needs exactly 1", entries));
  }
  for (std::size_t i = 0; i < entries; ++i) {
    const double tolerance = options.absolute_tolerance[i];
    if (!(tolerance > 0.0) || !std::isfinite(tolerance)) {
      refuse(fmt::format("absolute_tolerance[{}] = {} must be positive and finite", i, tolerance));
    }
  }
}

void validate_step(std::string_view name, double value) {
  if (!std::isnan(value) && !(value > 0.0 && std::isfinite(value))) {
    refuse(fmt::format("{} = {} must be positive and finite, or unset (NaN)", name, value));
  }
}

void validate_error_mask(std::size_t size, const std::vector<bool>& mask) {
  if (mask.empty()) {
    return;
  }
  if (mask.size() != size) {
    refuse(fmt::format("error_mask has {} entries; it needs none or one a component ({})", mask.size(), size));
  }
  if (std::none_of(mask.begin(), mask.end(), [](bool controlled) { return controlled; })) {
    refuse(fmt::format("error_mask leaves all {} components without error control; set at least one", size));
  }
}

}  // namespace

std::string_view to_string(OdeStatus status) {
  switch (status) {
    case OdeStatus::ok:
      return "ok";
    case OdeStatus::stopped:
      return "stopped";
    case OdeStatus::rhs_failed:
      return "rhs_failed";
    case OdeStatus::not_finite:
      return "not_finite";
    case OdeStatus::step_too_small:
      return "step_too_small";
    case OdeStatus::evaluation_limit:
      return "evaluation_limit";
    case OdeStatus::method_failed:
      return "method_failed";
  }
  throw std::invalid_argument(fmt::format("OdeStatus {} does not exist", static_cast<int>(status)));
}

void validate(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
              const OdeOptions& options) {
  if (system.size == 0 && options.partners != nullptr) {
    refuse("system.size = 0; of a state that several processes integrate together each needs at least one component");
  }
  if (!system.rhs) {
    refuse("system.rhs is empty; it must hold f(t, x, xdot)");
  }
  if (system.separable_positions > system.size) {
    refuse(fmt::format("system.separable_positions = {}; the system has {} state components",
                       system.separable_positions, system.size));
  }
  validate_tspan(tspan);
  if (x0.size() != system.size) {
    refuse(fmt::format("x0 has {} entries; the system has {} state components", x0.size(), system.size));
  }
  for (std::size_t i = 0; i < x0.size(); ++i) {
    if (!std::isfinite(x0[i])) {
      refuse(fmt::format("x0[{}] = {} is not finite", i, x0[i]));
    }
  }
  validate_tolerances(system.size, options);
  validate_step("initial_step", options.initial_step);
  validate_step("max_step", options.max_step);
  validate_step("fixed_step", options.fixed_step);
  validate_error_mask(system.size, options.error_mask);
  if (options.partners != nullptr && system.after_step) {
    refuse("system.after_step is set; a state that several processes integrate together cannot be changed after steps");
  }
  if (options.partners != nullptr && options.norm_control) {
    refuse(
        "norm_control needs the whole state on one process: a sum over all components would depend on the processes");
  }
  if (options.refine < 0) {
    refuse(fmt::format("refine = {} must be at least 1, or 0 for the method's default", options.refine));
  }
}

void validate_fixed_step(std::span<const double> tspan, const OdeOptions& options) {
  if (std::isnan(options.fixed_step)) {
    refuse("fixed_step is unset (NaN); a fixed-step method needs it, positive and finite");
  }
  const double latest = std::max(std::abs(tspan.front()), std::abs(tspan.back()));
  if (options.fixed_step < smallest_step(latest)) {
    refuse(fmt::format("fixed_step = {} must be at least {:.3g}, the smallest meaningful step at t = {}",
                       options.fixed_step, smallest_step(latest), latest));
  }
}

}  // namespace mbdbench
