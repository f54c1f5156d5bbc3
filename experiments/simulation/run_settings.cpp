#include "experiments/simulation/run_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

#include "experiments/records/number_text.hpp"
#include "experiments/simulation/simulate_run.hpp"

namespace mbdbench {
namespace {

constexpr const char* kAllKinds = "all";

void set_absolute_tolerances(RunSettings& settings, const std::vector<std::string>& texts) {
  const auto names_no_kind = [](const std::string& text) { return text.find('=') == std::string::npos; };
  if (std::any_of(texts.begin(), texts.end(), names_no_kind)) {
    settings.absolute_tolerance_of.clear();
  }
  for (const std::string& text : texts) {
    if (names_no_kind(text)) {
      settings.absolute_tolerance = parse_number(text, "--atol");
    } else {
      const auto [kind, value] = split_assignment(text, "--atol");
      settings.absolute_tolerance_of[parse_state_kind(kind, "--atol")] = parse_number(value, "--atol");
    }
  }
}

std::vector<StateKind> parse_controlled(const std::vector<std::string>& texts) {
  std::vector<StateKind> controlled;
  if (texts.size() == 1 && texts.front() == kAllKinds) {
    return controlled;
  }
  std::transform(texts.begin(), texts.end(), std::back_inserter(controlled),
                 [](const std::string& text) { return parse_state_kind(text, "--control"); });
  return controlled;
}

}  // namespace

StateKind parse_state_kind(std::string_view text, std::string_view origin) {
  constexpr std::array kKinds = {StateKind::position, StateKind::quaternion, StateKind::velocity, StateKind::momentum};
  const auto* const found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](StateKind kind) { return to_string(kind) == text; });
  if (found == kKinds.end()) {
    throw std::invalid_argument(fmt::format(
        "{}: '{}' is not a kind of state; there are position, quaternion, velocity, momentum", origin, text));
  }
  return *found;
}

RunSettings with_requested_settings(RunSettings base, const SimulateRequest& request) {
  base.relative_tolerance = request.relative_tolerance.value_or(base.relative_tolerance);
  set_absolute_tolerances(base, request.absolute_tolerances);
  if (!request.controlled.empty()) {
    base.controlled = parse_controlled(request.controlled);
  }
  base.norm_control = request.norm_control.value_or(base.norm_control);
  base.refine = request.refine.value_or(base.refine);
  if (request.max_step) {
    base.max_step = request.max_step;
  }
  if (request.fixed_step) {
    base.fixed_step = request.fixed_step;
  }
  base.propagate_higher_order = request.propagate_higher_order.value_or(base.propagate_higher_order);
  base.record_local_error = request.record_local_error.value_or(base.record_local_error);
  if (request.jacobian) {
    base.jacobian = parse_jacobian_choice(*request.jacobian, "--jacobian");
  }
  base.projection_tolerance = request.projection_tolerance.value_or(base.projection_tolerance);
  return base;
}

std::vector<std::string> option_texts(const RunSettings& settings) {
  std::vector<std::string> texts = {fmt::format("--rtol {}", settings.relative_tolerance),
                                    fmt::format("--atol {}", settings.absolute_tolerance)};
  for (const auto& [kind, tolerance] : settings.absolute_tolerance_of) {
    texts.push_back(fmt::format("--atol {}={}", to_string(kind), tolerance));
  }
  std::vector<std::string_view> kinds;
  std::transform(settings.controlled.begin(), settings.controlled.end(), std::back_inserter(kinds),
                 [](StateKind kind) { return to_string(kind); });
  texts.push_back(fmt::format("--control {}", kinds.empty() ? kAllKinds : fmt::format("{}", fmt::join(kinds, ","))));
  if (settings.norm_control) {
    texts.emplace_back("--norm-control");
  }
  if (settings.refine != 0) {
    texts.push_back(fmt::format("--refine {}", settings.refine));
  }
  if (settings.max_step) {
    texts.push_back(fmt::format("--max-step {}", *settings.max_step));
  }
  if (settings.fixed_step) {
    texts.push_back(fmt::format("--fixed-step {}", *settings.fixed_step));
  }
  if (settings.propagate_higher_order) {
    texts.emplace_back("--higher-order");
  }
  if (settings.record_local_error) {
    texts.emplace_back("--local-error");
  }
  if (settings.projection_tolerance > 0.0) {
    texts.push_back(fmt::format("--project {}", settings.projection_tolerance));
  }
  if (settings.jacobian != JacobianChoice::automatic) {
    texts.push_back(fmt::format("--jacobian {}", to_string(settings.jacobian)));
  }
  return texts;
}

SimulationOptions simulation_options(const RunSettings& settings) {
  SimulationOptions options;
  options.ode.relative_tolerance = settings.relative_tolerance;
  options.absolute_tolerance = settings.absolute_tolerance;
  options.absolute_tolerance_of = settings.absolute_tolerance_of;
  options.controlled = settings.controlled;
  options.ode.norm_control = settings.norm_control;
  options.ode.refine = settings.refine;
  options.ode.max_step = settings.max_step.value_or(OdeOptions::kUnset);
  options.ode.fixed_step = settings.fixed_step.value_or(OdeOptions::kUnset);
  options.ode.propagate_higher_order = settings.propagate_higher_order;
  options.ode.record_local_error = settings.record_local_error;
  options.jacobian = settings.jacobian;
  return options;
}

}  // namespace mbdbench
