#include "formulations/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "formulations/aba/aba.hpp"
#include "formulations/augmented_lagrangian/augmented_lagrangian.hpp"
#include "formulations/augmented_lagrangian/dca_alm_printed.hpp"
#include "formulations/bae_haug/bae_haug.hpp"
#include "formulations/bae_haug/bae_haug_printed.hpp"
#include "formulations/dca/dca.hpp"
#include "formulations/dense/dense.hpp"
#include "formulations/followed_cuts.hpp"
#include "formulations/hdca/hdca.hpp"
#include "formulations/hdca_printed/hdca_printed.hpp"
#include "formulations/naudet/naudet.hpp"
#include "formulations/options/projection_option.hpp"
#include "formulations/projection/projected_formulation.hpp"
#include "formulations/shared_formulation.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

/// Keys of the formulations that do not refuse the mechanism.
std::string able(std::span<const FormulationEntry> registry, const Mechanism& mechanism) {
  std::string keys;
  for (const FormulationEntry& entry : registry) {
    if (refusal_of(entry, mechanism).empty()) {
      keys += (keys.empty() ? "" : ", ") + std::string(entry.key);
    }
  }
  return keys.empty() ? "none" : keys;
}

}  // namespace

const FormulationRegistry& formulation_registry() {
  static const FormulationRegistry registry = {{
      dense_entry(),
      dense_momentum_entry(),
      hdca_entry(),
      hdca_printed_entry(),
      dca_entry(),
      dca_alm_entry(),
      dca_alm_projected_entry(),
      dca_alm_printed_entry(),
      bae_haug_entry(),
      bae_haug_printed_entry(),
      aba_entry(),
      naudet_entry(),
      naudet_reduced_entry(),
      naudet_acceleration_entry(),
      naudet_acceleration_reduced_entry(),
  }};
  return registry;
}

const FormulationEntry* find_formulation(std::span<const FormulationEntry> registry, std::string_view key) {
  const auto found =
      std::find_if(registry.begin(), registry.end(), [&](const FormulationEntry& e) { return e.key == key; });
  return found == registry.end() ? nullptr : &*found;
}

namespace {

std::unique_ptr<Formulation> make_whole(const FormulationRegistry& registry, const FormulationEntry& entry,
                                        const Mechanism& mechanism, std::string_view options,
                                        const Execution& execution) {
  static_cast<void>(checked_threads(execution.threads));
  const Parameters parameters = parse_parameters(entry.options, options, fmt::format("formulation '{}'", entry.key));
  const std::string refusal = refusal_of(entry, mechanism);
  if (refusal.empty()) {
    try {
      std::unique_ptr<Formulation> formulation = entry.make(mechanism, parameters, execution);
      if (entry.projects_steps != nullptr && entry.projects_steps(mechanism, parameters)) {
        formulation = std::make_unique<ProjectedFormulation>(std::move(formulation), projection_tolerance(mechanism),
                                                             execution.instruction_set);
      }
      return follow_cuts(std::move(formulation));
    } catch (const ModelError& error) {  // an option's own limits
      throw ModelError(error.where(), fmt::format("{}; with their default options these can: {}", error.what(),
                                                  able(registry, mechanism)));
    }
  }
  throw ModelError({}, fmt::format("formulation '{}' cannot treat mechanism '{}': {}; these can: {}", entry.key,
                                   mechanism.name(), refusal, able(registry, mechanism)));
}

}  // namespace

bool asks_for_parts(const FormulationEntry& entry, std::string_view options) {
  const auto parameters = parse_parameters(entry.options, options, fmt::format("formulation '{}'", entry.key)).values();
  const auto leaf = parameters.find("leaf");
  const auto processes = parameters.find("processes");
  return (leaf != parameters.end() && leaf->second == ParameterValue(std::string("subchain"))) ||
         (processes != parameters.end() && processes->second != ParameterValue(std::int64_t{1}));
}

std::unique_ptr<Formulation> make_formulation(const FormulationRegistry& registry, const FormulationEntry& entry,
                                              const Mechanism& mechanism, std::string_view options) {
  return make_whole(registry, entry, mechanism, options, registry.execution);
}

ProcessFormulation make_process_formulation(const FormulationRegistry& registry, const FormulationEntry& entry,
                                            const Mechanism& mechanism, std::string_view options, bool whole_state,
                                            ProcessExchange& processes) {
  ProcessFormulation made;
  if (asks_for_parts(entry, options)) {
    made.part = make_formulation_part(registry, entry, mechanism, options, processes);
    return made;
  }
  if (!whole_state && entry.make_part != nullptr) {
    try {
      made.part = make_formulation_part(registry, entry, mechanism, options, processes);
      return made;
    } catch (const ModelError& error) {  // the whole state, then
      made.why_whole = error.what();
    }
  }
  made.whole = make_whole(registry, entry, mechanism, options, registry.execution.on(processes));
  return made;
}

std::string refusal_of(const FormulationEntry& entry, const Mechanism& mechanism) {
  if (!mechanism.couplings().empty() && !entry.takes_couplings) {
    const CouplingDescription& coupling = mechanism.description().couplings.front();
    // A file of a robot has no couplings but what follows from its joints; the first term is the joint that says so.
    const bool mimic = mechanism.description().source.starts_with("URDF") && coupling.name.ends_with("_mimic");
    return fmt::format(
        "it couples coordinates of several joints (coupling '{}'{}), and the formulation does not know such "
        "constraints",
        coupling.name, mimic ? fmt::format(", <mimic> of joint '{}'", coupling.terms.front().joint) : "");
  }
  if (!mechanism.held_by_velocity().empty() && !entry.takes_velocity_constraints) {
    return fmt::format(
        "'{}' holds velocities without an equation of positions, and the formulation does not know such "
        "constraints",
        mechanism.held_by_velocity());
  }
  const auto bodies = mechanism.bodies();
  const auto irregular = std::find_if(bodies.begin(), bodies.end(), [](const Body& body) { return !body.regular; });
  if (irregular != bodies.end() && !entry.takes_massless_bodies) {
    return fmt::format("body '{}' has no {}, and the formulation inverts the inertia of every body", irregular->name,
                       irregular->mass == 0.0 ? "mass" : "moment of inertia about some axis");
  }
  return entry.refusal(mechanism);
}

std::string start_failure(const FormulationRegistry& registry, const FormulationEntry& entry,
                          const Mechanism& mechanism, std::string_view options) {
  if (std::string refusal = refusal_of(entry, mechanism); !refusal.empty()) {
    return refusal;
  }
  try {
    const std::unique_ptr<Formulation> formulation = make_formulation(registry, entry, mechanism, options);
    std::vector<double> x(formulation->state_size());
    std::vector<double> xdot(x.size());
    RhsStatus status = formulation->pack(0.0, view(mechanism.q0()), view(mechanism.u0()), x);
    if (status.ok) {
      status = formulation->rhs(0.0, x, xdot);
    }
    if (!status.ok) {
      return status.message();
    }
    const auto lost = std::find_if(xdot.begin(), xdot.end(), [](double value) { return !std::isfinite(value); });
    return lost == xdot.end() ? std::string{}
                              : fmt::format("the rate of '{}' is not a finite number",
                                            formulation->layout()[static_cast<std::size_t>(lost - xdot.begin())].name);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

std::string divisible_formulations(std::span<const FormulationEntry> registry) {
  std::string divisible;
  for (const FormulationEntry& each : registry) {
    if (each.make_part != nullptr) {
      divisible += fmt::format("{}{}[{}]", divisible.empty() ? "" : ", ", each.key, each.part_option);
    }
  }
  return divisible;
}

std::unique_ptr<FormulationPart> make_formulation_part(const FormulationRegistry& registry,
                                                       const FormulationEntry& entry, const Mechanism& mechanism,
                                                       std::string_view options, ProcessExchange& processes) {
  const std::string divisible = divisible_formulations(registry);
  const Parameters parameters = parse_parameters(entry.options, options, fmt::format("formulation '{}'", entry.key));
  const auto refuse = [&](std::string_view why) {
    return ModelError({},
                      fmt::format("formulation '{}' on {} processes: {}; these can be shared by processes, chains of "
                                  "revolute joints or several trees at the ground: {}",
                                  entry.key, processes.size(), why, divisible));
  };
  if (entry.make_part == nullptr) {
    throw refuse("it runs on one only");
  }
  if (entry.projects_steps != nullptr && entry.projects_steps(mechanism, parameters)) {
    throw refuse("states after steps are projected, which needs the whole state (option projection=off leaves it out)");
  }
  if (!followed_angles(mechanism).empty()) {
    throw refuse("a law knows the angle of a cut joint, which is followed with the whole state");
  }
  try {
    return entry.make_part(mechanism, parameters, registry.execution.on(processes));
  } catch (const ModelError& error) {
    throw refuse(error.what());
  }
}

std::unique_ptr<Formulation> make_shared_formulation(const FormulationRegistry& registry, const FormulationEntry& entry,
                                                     const Mechanism& mechanism, std::string_view options,
                                                     ProcessExchange& processes) {
  return std::make_unique<SharedFormulation>(
      make_formulation(registry, entry, mechanism, options),
      [registry, &entry, &mechanism, text = std::string(options), &processes] {
        return make_formulation_part(registry, entry, mechanism, text, processes);
      },
      &processes);
}

}  // namespace mbdbench
