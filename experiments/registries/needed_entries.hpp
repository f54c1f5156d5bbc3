#pragma once
/// \file
/// Formulations and integrators that an experiment cannot do without, and what to say where one is not there.
#include <string>
#include <string_view>

#include "experiments/registries/registries.hpp"

namespace mbdbench {

/// \throws std::invalid_argument naming the experiment and the key that the registries do not have
const FormulationEntry& needed_formulation(const Registries& registries, std::string_view experiment,
                                           std::string_view key);

/// \throws std::invalid_argument naming the experiment and the key that the registries do not have
const OdeEntry& needed_integrator(const Registries& registries, std::string_view experiment, std::string_view key);

/// \returns why the registries do not have an integrator that other builds of this program have; empty otherwise.
std::string left_out_integrator(const Registries& registries, std::string_view key);

/// \returns what to say of an integrator that is not there: those that are, or that this build has left it out.
std::string unknown_integrator(const Registries& registries, const std::string& key);

}  // namespace mbdbench
