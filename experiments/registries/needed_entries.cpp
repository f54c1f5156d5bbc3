#include "experiments/registries/needed_entries.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace mbdbench {

const FormulationEntry& needed_formulation(const Registries& registries, std::string_view experiment,
                                           std::string_view key) {
  const FormulationEntry* const entry = find_formulation(registries.formulations, key);
  if (entry == nullptr) {
    throw std::invalid_argument(fmt::format("experiment {} needs the formulation '{}'", experiment, key));
  }
  return *entry;
}

const OdeEntry& needed_integrator(const Registries& registries, std::string_view experiment, std::string_view key) {
  const OdeEntry* const entry = find_integrator(registries.integrators, key);
  if (entry == nullptr) {
    throw std::invalid_argument(fmt::format("experiment {} needs the integrator '{}'", experiment, key));
  }
  return *entry;
}

}  // namespace mbdbench
