#include "experiments/registries/needed_entries.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "integrators/registry.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"

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

std::string left_out_integrator(const Registries& registries, std::string_view key) {
  if ((key != "cvode-adams" && key != "cvode-bdf") || find_integrator(registries.integrators, key) != nullptr) {
    return "";
  }
  return fmt::format("integrator '{}' is that of SUNDIALS, and this mbdbench was built without SUNDIALS", key);
}

std::string unknown_integrator(const Registries& registries, const std::string& key) {
  if (const std::string reason = left_out_integrator(registries, key); !reason.empty()) {
    return reason + "; ode113 and ode15s are of the same kinds";
  }
  std::vector<std::string> keys;
  keys.reserve(registries.integrators.size());
  for (const OdeEntry& entry : registries.integrators) {
    keys.emplace_back(entry.key);
  }
  return fmt::format("there is no integrator '{}'; {}", key, suggest_name(key, keys, "integrators"));
}

}  // namespace mbdbench
