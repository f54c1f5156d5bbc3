#pragma once
/// \file
/// Formulations and integrators that an experiment cannot do without.
#include <memory>
#include <string_view>

#include "experiments/registries/registries.hpp"

namespace mbdbench {

/// \throws std::invalid_argument naming the experiment and the key that the registries do not have
const FormulationEntry& needed_formulation(const Registries& registries, std::string_view experiment,
                                           std::string_view key);

/// \returns the formulation as the papers ran it: what `options` leave open of `projection`, `passes` and
/// `gauge` is off, plain and none.
/// \throws std::invalid_argument naming the experiment and the key that the registries do not have
std::unique_ptr<Formulation> make_published_formulation(const Registries& registries, std::string_view experiment,
                                                        std::string_view key, const Mechanism& mechanism,
                                                        std::string_view options = {});

/// \throws std::invalid_argument naming the experiment and the key that the registries do not have
const OdeEntry& needed_integrator(const Registries& registries, std::string_view experiment, std::string_view key);

}  // namespace mbdbench
