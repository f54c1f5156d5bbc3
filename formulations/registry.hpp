#pragma once
/// \file
/// All formulations of the suite, in the order in which they are listed to users.
#include <span>
#include <string_view>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// \returns the suite's own formulations.
std::span<const FormulationEntry> formulation_registry();

/// \returns the entry with this key, or nullptr.
const FormulationEntry* find_formulation(std::span<const FormulationEntry> registry, std::string_view key);

/// \returns the formulation with options read from text ("alpha=5,beta=5").
/// \throws ParameterError for bad options, ModelError when the mechanism is refused (naming formulations that treat
/// it).
std::unique_ptr<Formulation> make_formulation(std::span<const FormulationEntry> registry, const FormulationEntry& entry,
                                              const Mechanism& mechanism, std::string_view options = {});

}  // namespace mbdbench
