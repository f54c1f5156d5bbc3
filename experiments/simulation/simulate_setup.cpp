#include "experiments/simulation/simulate_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <utility>

#include "experiments/files/text_digest.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/registries/memory_demand.hpp"
#include "experiments/registries/memory_message.hpp"
#include "experiments/registries/needed_entries.hpp"
#include "experiments/simulation/initial_values.hpp"
#include "experiments/simulation/output/saved_state.hpp"
#include "experiments/simulation/time_span.hpp"
#include "formulations/assembly/assembly_options.hpp"
#include "formulations/followed_cuts.hpp"
#include "formulations/projection/projected_formulation.hpp"
#include "mechanisms/io/file_error.hpp"
#include "mechanisms/io/mechanism_writer.hpp"
#include "mechanisms/model/start/moved_start.hpp"

namespace mbdbench {
namespace {

constexpr const char* kDefaultIntegrator = "ode45";
constexpr int kMostRefine = 1000;
constexpr std::int64_t kMostEvaluations = 1'000'000'000'000'000;

const OdeEntry& chosen_integrator(const Registries& registries, const std::string& key) {
  if (const OdeEntry* const found = find_integrator(registries.integrators, key)) {
    return *found;
  }
  throw std::invalid_argument(unknown_integrator(registries, key));
}

/// What `validate` would refuse in the words of the library, in those of the command line.
void require_usable_numbers(const RunSettings& settings, const std::optional<double>& initial_step) {
  constexpr double kSmallestTolerance = 100.0 * std::numeric_limits<double>::epsilon();
  const auto require = [](bool usable, std::string_view option, double value, std::string_view wanted) {
    if (!usable) {
      throw std::invalid_argument(fmt::format("{} {}: must be {}", option, value, wanted));
    }
  };
  const auto positive = [](double value) { return value > 0.0 && std::isfinite(value); };
  const double relative = settings.relative_tolerance;
  require(relative >= kSmallestTolerance && std::isfinite(relative), "--rtol", relative,
          fmt::format("finite and at least {:.3g} (100 eps)", kSmallestTolerance));
  require(positive(settings.absolute_tolerance), "--atol", settings.absolute_tolerance, "positive and finite");
  for (const auto& [kind, tolerance] : settings.absolute_tolerance_of) {
    if (!positive(tolerance)) {
      throw std::invalid_argument(fmt::format("--atol {}={}: must be positive and finite", to_string(kind), tolerance));
    }
  }
  if (initial_step) {
    require(positive(*initial_step), "--initial-step", *initial_step, "positive and finite");
  }
  if (settings.norm_control && !settings.absolute_tolerance_of.empty()) {
    throw std::invalid_argument(
        "--norm-control: the norm of the whole state needs one --atol for all kinds; give a number alone, or leave "
        "--norm-control out");
  }
}

/// Checks what the integrators themselves do not. \throws std::invalid_argument
void require_usable(const RunSettings& settings, const OdeEntry& integrator, const TimeSpan& span) {
  if (settings.fixed_step && integrator.adaptive) {
    throw std::invalid_argument(
        fmt::format("--fixed-step: integrator '{}' chooses its steps itself; --max-step limits them", integrator.key));
  }
  if (!settings.fixed_step && !integrator.adaptive) {
    throw std::invalid_argument(
        fmt::format("--fixed-step H is missing: integrator '{}' takes steps of one size, H in s", integrator.key));
  }
  for (const auto& [option, wanted] :
       {std::pair("--higher-order", settings.propagate_higher_order), {"--local-error", settings.record_local_error}}) {
    if (wanted && !integrator.embedded_lower_order) {
      throw std::invalid_argument(
          fmt::format("{}: integrator '{}' leaves no such choice; rkf45 and rkf45-fixed do", option, integrator.key));
    }
  }
  // A shorter step does not move the time by more than its rounding: the run would never end.
  const double longest = std::max({std::abs(span.start), std::abs(span.end), std::abs(span.end - span.start)});
  const double smallest = 16.0 * std::numeric_limits<double>::epsilon() * longest;
  for (const auto& [option, step] :
       {std::pair("--max-step", settings.max_step), {"--fixed-step", settings.fixed_step}}) {
    if (step && !(*step >= smallest)) {
      throw std::invalid_argument(
          fmt::format("{} {}: must be at least {:.3g} s (16 eps of the times of the run)", option, *step, smallest));
    }
    if (step && !std::isfinite(*step)) {
      throw std::invalid_argument(fmt::format("{} {}: must be finite", option, *step));
    }
  }
}

/// \throws std::invalid_argument
void require_jacobian(const Registries& registries, JacobianChoice choice, const OdeEntry& integrator) {
  if (choice == JacobianChoice::automatic || integrator.takes_jacobian) {
    return;
  }
  std::vector<std::string_view> able;
  for (const OdeEntry& each : registries.integrators) {
    if (each.takes_jacobian) {
      able.push_back(each.key);
    }
  }
  throw std::invalid_argument(fmt::format("--jacobian {}: integrator '{}' forms no Jacobian; these do: {}",
                                          to_string(choice), integrator.key, fmt::join(able, ", ")));
}

template <class Number>
void require_range(const char* option, const std::optional<Number>& value, Number least, Number most) {
  if (value && !(*value >= least && *value <= most)) {
    throw std::invalid_argument(
        fmt::format("{} {}: must be from {} to {}; leave it out for the default", option, *value, least, most));
  }
}

/// \returns the settings of the request over those of the saved state, if there is one.
RunSettings run_settings(const SimulateRequest& request, const std::optional<SavedState>& saved,
                         const OdeEntry& integrator) {
  require_range("--refine", request.refine, 1, kMostRefine);
  require_range("--project", request.projection_tolerance, 0.0, 1.0);
  RunSettings base = saved ? saved->settings : RunSettings{};
  // Left by a method that the restart has replaced.
  if (integrator.adaptive) {
    base.fixed_step.reset();
  }
  if (!integrator.embedded_lower_order) {
    base.propagate_higher_order = false;
    base.record_local_error = false;
  }
  if (!integrator.takes_jacobian) {
    base.jacobian = JacobianChoice::automatic;
  }
  return with_requested_settings(std::move(base), request);
}

std::unique_ptr<Formulation> projected(std::unique_ptr<Formulation> formulation, double tolerance,
                                       const InstructionSet& set) {
  if (tolerance == 0.0) {
    return formulation;
  }
  const std::string refusal = refuse_for_assembly(formulation->mechanism());
  if (!refusal.empty()) {
    throw std::invalid_argument(
        fmt::format("--project: the projection goes through the assembly tree of mechanism '{}', and {}",
                    formulation->mechanism().name(), refusal));
  }
  // A projected state is packed anew, which says nothing of turns: they are followed outside.
  return follow_cuts(std::make_unique<ProjectedFormulation>(without_following(std::move(formulation)), tolerance, set));
}

/// \returns why every process needs the whole state, empty if it need not
std::string need_of_whole_state(const Registries& registries, const SimulateSetup& setup, int processes) {
  if (!setup.integrator.takes_partners) {
    std::vector<std::string_view> able;
    for (const OdeEntry& each : registries.integrators) {
      if (each.takes_partners) {
        able.push_back(each.key);
      }
    }
    return fmt::format(
        "integrator '{}' needs the whole state and runs on one process only, not on {}; these integrate a state "
        "that is divided among processes: {}",
        setup.integrator.key, processes, fmt::join(able, ", "));
  }
  if (setup.options.ode.norm_control) {
    return fmt::format("--norm-control: a sum over the whole state would depend on the number of processes ({})",
                       processes);
  }
  if (setup.settings.projection_tolerance != 0.0) {
    return fmt::format("--project: projections need the whole state, not {} processes", processes);
  }
  for (const Joint& joint : setup.mechanism->tree_joints()) {
    if (has_quaternion(joint.type)) {
      return fmt::format(
          "the quaternion of joint '{}' is normalised after steps, with the whole state, not on {} processes",
          joint.name, processes);
    }
  }
  return {};
}

/// What this process evaluates, with its slice of the state or with all of it.
/// \throws std::invalid_argument where the options ask for slices and something needs the whole state
void share_among_processes(const Registries& registries, const FormulationEntry& formulation,
                           ProcessExchange& processes, SimulateSetup& setup) {
  const std::string need = need_of_whole_state(registries, setup, processes.size());
  if (!need.empty() && asks_for_parts(formulation, setup.formulation_options)) {
    throw std::invalid_argument(need);
  }
  ProcessFormulation made = make_process_formulation(registries.formulations, formulation, *setup.mechanism,
                                                     setup.formulation_options, !need.empty(), processes);
  setup.part = std::move(made.part);
  if (made.whole != nullptr) {
    const bool divided = made.whole->is_divided();
    setup.shared = projected(std::move(made.whole), setup.settings.projection_tolerance,
                             registries.formulations.execution.instruction_set);
    if (!divided) {
      const bool has_sections = std::any_of(formulation.options.begin(), formulation.options.end(),
                                            [](const ParameterSpecification& option) { return option.counts; });
      setup.notes.push_back(fmt::format(
          "{} on '{}' has nothing that {} processes could share: each computes all of it{}{}{}", setup.formulation_key,
          setup.mechanism->name(), processes.size(), made.why_whole.empty() ? "" : "; ", made.why_whole,
          has_sections ? "; leaf=N divides lines of loops into sections of about N bodies" : ""));
    }
  }
}

SimulationOptions run_options(const RunSettings& settings, const SimulateRequest& request) {
  require_range("--max-evaluations", request.max_evaluations, std::int64_t{1}, kMostEvaluations);
  SimulationOptions options = simulation_options(settings);
  options.ode.initial_step = request.initial_step.value_or(OdeOptions::kUnset);
  if (request.max_evaluations) {
    options.ode.max_evaluations = static_cast<std::size_t>(*request.max_evaluations);
  }
  return options;
}

/// \returns what of the saved state the run continues with, in words of the command line.
std::vector<std::string> taken_over(const SavedState& saved, const SimulateSetup& setup) {
  std::vector<std::string> kept;
  if (setup.formulation_key == saved.formulation && setup.formulation_options == saved.formulation_options) {
    kept.push_back("--formulation " + formulation_word(saved.formulation, saved.formulation_options));
  }
  if (setup.integrator.key == saved.integrator) {
    kept.push_back("--integrator " + saved.integrator);
  }
  const std::vector<std::string> now = option_texts(setup.settings);
  for (std::string& text : option_texts(saved.settings)) {
    if (std::find(now.begin(), now.end(), text) != now.end()) {
      kept.push_back(std::move(text));
    }
  }
  return kept;
}

/// Fills what a restart leaves out from the saved state; its mechanism lies beside it.
SimulateRequest completed(SimulateRequest request, const SavedState& saved) {
  if (!request.initial_values.empty()) {
    throw std::invalid_argument(
        "--set and --restart exclude one another: a restart takes its values from the saved state");
  }
  if (request.mechanism.empty()) {
    request.mechanism = mechanism_beside(saved, request.restart);
  }
  if (request.formulation.empty()) {
    request.formulation = formulation_word(saved.formulation, saved.formulation_options);
  }
  if (request.integrator.empty()) {
    request.integrator = saved.integrator;
  }
  return request;
}

void require_same_mechanism(const SavedState& saved, const SimulateSetup& setup, const std::string& file) {
  if (saved.mechanism_digest != text_digest(setup.mechanism_text)) {
    throw std::invalid_argument(fmt::format(
        "{} was saved with mechanism '{}', and '{}' is not the same (its parameters, loads or initial values "
        "differ): leave --mechanism out to continue with the mechanism.toml beside the saved state",
        file, saved.mechanism, setup.mechanism->name()));
  }
}

/// A state that holds some coordinates only fits several assemblies of a closed loop, and poses say nothing of the
/// turns of an angle; the formulation looks for what is missing near the last positions that it has packed.
void show_positions(Formulation& formulation, const SavedState& saved, const std::string& file) {
  if (saved.q.empty() && saved.u.empty()) {
    return;
  }
  const Mechanism& mechanism = formulation.mechanism();
  if (saved.q.size() != static_cast<std::size_t>(mechanism.q_size()) ||
      saved.u.size() != static_cast<std::size_t>(mechanism.u_size())) {
    throw FileError(file, 0,
                    fmt::format("has {} joint coordinates q and {} quasi-velocities u, the mechanism {} and {}",
                                saved.q.size(), saved.u.size(), mechanism.q_size(), mechanism.u_size()));
  }
  std::vector<double> unused(formulation.state_size());
  // Where it cannot be packed, the right-hand side of the saved state itself will say so.
  static_cast<void>(formulation.pack(saved.t, saved.q, saved.u, unused));
}

/// Everything that the run will hold: the formulation, of which several processes have a part each, or all of it, and
/// the first one a whole one beside it, and the integrator's matrices. \throws MemoryRefusal
void require_fitting(const FormulationEntry& formulation, const SimulateSetup& setup,
                     const ProcessExchange* processes) {
  MemoryDemand demand;
  if (processes != nullptr) {
    const bool divided = asks_for_parts(formulation, setup.formulation_options);
    demand.add(formulation, *setup.mechanism, divided ? 1.0 / processes->size() : 1.0);
  }
  if (processes == nullptr || processes->process() == 0) {
    // The work of loads and drives is taken with a copy.
    demand.add(formulation, *setup.mechanism, setup.mechanism->exchanges_energy() ? 2.0 : 1.0);
    demand.add(setup.integrator, *setup.mechanism, setup.settings.jacobian == JacobianChoice::exact);
  }
  demand.require();
}

/// A gauge that leaks takes away what sigma holds at a rate, which backward in time makes it grow: exp(5 |t|), at last
/// beyond the motion itself. \returns the options without it. \throws std::invalid_argument where it was asked for
std::string options_backward(const FormulationChoice& chosen, std::vector<std::string>& notes) {
  const auto has = [&](std::string_view name) {
    return std::any_of(chosen.entry->options.begin(), chosen.entry->options.end(),
                       [&](const ParameterSpecification& option) { return option.name == name; });
  };
  const bool leaks = has("leak");
  if ((!leaks && !has("gauge")) || (has("gauge") && chosen.parameters.text("gauge") == "none")) {
    return chosen.options;
  }
  const std::string_view off = leaks ? "leak=0" : "gauge=none";
  const bool given = chosen.options.find(leaks ? "leak=" : "gauge=") != std::string::npos;
  const bool asked =
      given && (leaks ? chosen.parameters.number("leak") > 0.0 : chosen.parameters.text("gauge") == "tangent");
  if (asked) {
    throw std::invalid_argument(fmt::format(
        "formulation '{}': the leak of the gauge grows backward in time instead of fading: take {}, or leave it out",
        formulation_word(chosen.entry->key, chosen.options), off));
  }
  if (given) {
    return chosen.options;
  }
  notes.push_back(fmt::format("{}: the leak of the gauge would grow backward in time", off));
  return chosen.options + (chosen.options.empty() ? "" : ",") + std::string(off);
}

}  // namespace

SimulateSetup set_up_run(const Registries& registries, const SimulateRequest& original, ProcessExchange* processes,
                         const Mechanism* given) {
  std::optional<SavedState> saved;
  SimulateRequest request = original;
  if (!original.restart.empty()) {
    saved = read_saved_state(original.restart);
    request = completed(original, *saved);
  }
  if (request.integrator.empty()) {
    request.integrator = kDefaultIntegrator;
  }
  if (request.mechanism.empty() && given == nullptr) {
    throw std::invalid_argument("--mechanism is missing: a key (see mbdbench list mechanisms) or a TOML file");
  }
  const TimeSpan span = parse_time_span(request.time);

  SimulateSetup setup;
  if (request.formulation.empty()) {
    throw std::invalid_argument("--formulation is missing; see mbdbench list formulations");
  }
  const FormulationChoice chosen = choose_formulation(registries.formulations, request.formulation);
  const FormulationEntry& formulation = *chosen.entry;
  setup.integrator = chosen_integrator(registries, request.integrator);
  require_for_mechanisms(setup.integrator);
  setup.settings = run_settings(request, saved, setup.integrator);
  require_usable_numbers(setup.settings, request.initial_step);
  require_usable(setup.settings, setup.integrator, span);
  require_jacobian(registries, setup.settings.jacobian, setup.integrator);
  setup.options = run_options(setup.settings, request);
  Mechanism found = given != nullptr ? *given : find_mechanism(registries, request.mechanism);
  // What is set gives another start, whose note tells of typed values too.
  setup.notes.push_back(request.initial_values.empty() ? moved_start_text(found) : "");
  ChangedStart start = with_initial_values(std::move(found), request.initial_values);
  setup.notes.push_back(moved_text(start));
  setup.mechanism = std::make_unique<const Mechanism>(std::move(start.mechanism));
  setup.mechanism_text = write_mechanism(setup.mechanism->description());
  setup.formulation_key = formulation.key;
  setup.formulation_options =
      setup.mechanism->constrained() && span.end < span.start ? options_backward(chosen, setup.notes) : chosen.options;
  const std::string problem =
      fmt::format("mechanism '{}' in formulation '{}'", setup.mechanism->name(), setup.formulation_key);
  require_fitting(formulation, setup, processes);
  if (processes != nullptr) {
    share_among_processes(registries, formulation, *processes, setup);
    if (setup.part != nullptr && processes->process() > 0) {
      setup.times = saved ? times_after(span, saved->t) : times_of(span);
      return setup;
    }
  }
  setup.formulation = with_memory_message(problem, [&] {
    return projected(
        make_formulation(registries.formulations, formulation, *setup.mechanism, setup.formulation_options),
        setup.settings.projection_tolerance, registries.formulations.execution.instruction_set);
  });
  // What was asked for is refused before the run begins.
  static_cast<void>(takes_exact_jacobian(setup.options.jacobian, setup.integrator, *setup.formulation));
  if (saved) {
    require_layout(*saved, setup.formulation->layout(), request.restart);
    require_same_mechanism(*saved, setup, request.restart);
    setup.times = times_after(span, saved->t);
    setup.x0 = saved->x;
    show_positions(*setup.formulation, *saved, request.restart);
    setup.taken_over = taken_over(*saved, setup);
  } else {
    if (setup.mechanism->rheonomic() && span.start != 0.0) {
      throw std::invalid_argument(fmt::format(
          "mechanism '{}' has prescribed motions and its initial state belongs to t = 0; the run cannot start at {}",
          setup.mechanism->name(), span.start));
    }
    setup.times = times_of(span);
    setup.x0 = with_memory_message(problem, [&] { return initial_state(*setup.formulation, span.start); });
  }
  validate(ode_system(*setup.formulation), setup.times, setup.x0,
           ode_options(setup.options, setup.formulation->layout()));
  return setup;
}

}  // namespace mbdbench
