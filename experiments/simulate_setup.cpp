#include "experiments/simulate_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "experiments/initial_values.hpp"
#include "experiments/mechanism_source.hpp"
#include "experiments/number_text.hpp"
#include "experiments/time_span.hpp"
#include "mechanisms/io/mechanism_writer.hpp"
#include "mechanisms/model/name_suggestion.hpp"

namespace mbdbench {
namespace {

constexpr const char* kDefaultIntegrator = "ode45";

/// \returns the entry with this key. \param noun "formulation" \param option that names it
template <class Entry>
const Entry& find_entry(const std::vector<Entry>& registry, const std::string& key, const std::string& noun) {
  const auto found =
      std::find_if(registry.begin(), registry.end(), [&](const Entry& entry) { return entry.key == key; });
  if (found != registry.end()) {
    return *found;
  }
  if (key.empty()) {
    throw std::invalid_argument(fmt::format("--{} is missing; see mbdbench list {}s", noun, noun));
  }
  std::vector<std::string> keys;
  for (const Entry& entry : registry) {
    keys.emplace_back(entry.key);
  }
  throw std::invalid_argument(fmt::format("there is no {} '{}'; {}", noun, key, suggest_name(key, keys, noun + "s")));
}

StateKind parse_kind(std::string_view text, std::string_view option) {
  constexpr std::array kKinds = {StateKind::position, StateKind::quaternion, StateKind::velocity, StateKind::momentum};
  const auto* const found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](StateKind kind) { return to_string(kind) == text; });
  if (found == kKinds.end()) {
    throw std::invalid_argument(fmt::format(
        "{}: '{}' is not a kind of state; there are position, quaternion, velocity, momentum", option, text));
  }
  return *found;
}

SimulationOptions simulation_options(const SimulateRequest& request) {
  SimulationOptions options;
  options.ode.relative_tolerance = request.relative_tolerance;
  for (const std::string& text : request.absolute_tolerances) {
    if (text.find('=') == std::string::npos) {
      options.absolute_tolerance = parse_number(text, "--atol");
    } else {
      const auto [kind, value] = split_assignment(text, "--atol");
      options.absolute_tolerance_of[parse_kind(kind, "--atol")] = parse_number(value, "--atol");
    }
  }
  for (const std::string& kind : request.controlled) {
    options.controlled.push_back(parse_kind(kind, "--control"));
  }
  options.ode.initial_step = request.initial_step.value_or(OdeOptions::kUnset);
  options.ode.max_step = request.max_step.value_or(OdeOptions::kUnset);
  options.ode.fixed_step = request.fixed_step.value_or(OdeOptions::kUnset);
  options.ode.max_evaluations = request.max_evaluations.value_or(options.ode.max_evaluations);
  options.ode.refine = request.refine;
  options.ode.norm_control = request.norm_control;
  return options;
}

/// Fills what a restart leaves out from the saved state; its mechanism lies beside it.
SimulateRequest completed(SimulateRequest request, const SavedState& saved) {
  if (!request.initial_values.empty()) {
    throw std::invalid_argument(
        "--set and --restart exclude one another: a restart takes its values from the saved state");
  }
  if (request.mechanism.empty()) {
    request.mechanism = (std::filesystem::path(request.restart).parent_path() / "mechanism.toml").string();
  }
  if (request.formulation.empty()) {
    request.formulation = saved.formulation;
    if (request.formulation_options.empty() && !saved.formulation_options.empty()) {
      request.formulation_options = {saved.formulation_options};
    }
  }
  if (request.integrator.empty()) {
    request.integrator = saved.integrator;
  }
  return request;
}

void require_same_mechanism(const SavedState& saved, const SimulateSetup& setup, const std::string& file) {
  if (saved.mechanism_digest != mechanism_digest(setup.mechanism_text)) {
    throw std::invalid_argument(fmt::format(
        "{} was saved with mechanism '{}', and '{}' is not the same (its parameters, loads or initial values "
        "differ): leave --mechanism out to continue with the mechanism.toml beside the saved state",
        file, saved.mechanism, setup.mechanism->name()));
  }
}

}  // namespace

SimulateSetup set_up_run(const Registries& registries, const SimulateRequest& original) {
  std::optional<SavedState> saved;
  SimulateRequest request = original;
  if (!original.restart.empty()) {
    saved = read_saved_state(original.restart);
    request = completed(original, *saved);
  }
  if (request.integrator.empty()) {
    request.integrator = kDefaultIntegrator;
  }
  if (request.mechanism.empty()) {
    throw std::invalid_argument("--mechanism is missing: a key (see mbdbench list mechanisms) or a TOML file");
  }
  const TimeSpan span = parse_time_span(request.time);

  SimulateSetup setup;
  setup.options = simulation_options(request);
  const FormulationEntry& formulation = find_entry(registries.formulations, request.formulation, "formulation");
  setup.integrator = find_entry(registries.integrators, request.integrator, "integrator");
  setup.mechanism = std::make_unique<const Mechanism>(
      with_initial_values(find_mechanism(registries, request.mechanism), request.initial_values));
  setup.mechanism_text = write_mechanism(setup.mechanism->description());
  setup.formulation_key = request.formulation;
  setup.formulation_options = fmt::format("{}", fmt::join(request.formulation_options, ","));
  setup.formulation =
      make_formulation(registries.formulations, formulation, *setup.mechanism, setup.formulation_options);
  if (saved) {
    require_layout(*saved, setup.formulation->layout(), request.restart);
    require_same_mechanism(*saved, setup, request.restart);
    setup.times = times_after(span, saved->t);
    setup.x0 = saved->x;
  } else {
    if (setup.mechanism->rheonomic() && span.start != 0.0) {
      throw std::invalid_argument(fmt::format(
          "mechanism '{}' has prescribed motions and its initial state belongs to t = 0; the run cannot start at {}",
          setup.mechanism->name(), span.start));
    }
    setup.times = times_of(span);
    setup.x0 = initial_state(*setup.formulation, span.start);
  }
  validate(ode_system(*setup.formulation), setup.times, setup.x0,
           ode_options(setup.options, setup.formulation->layout()));
  return setup;
}

}  // namespace mbdbench
