#include "experiments/registries/needed_entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace mbdbench {

const FormulationEntry& needed_formulation(const Registries& registries, std::string_view experiment,
                                           std::string_view key) {
  const FormulationEntry* const entry = find_formulation(registries.formulations, key);
  if (entry == nullptr) {
    throw std::invalid_argument(fmt::format("experiment {} needs the formulation '{}'", experiment, key));
  }
  return *entry;
}

std::unique_ptr<Formulation> make_published_formulation(const Registries& registries, std::string_view experiment,
                                                        std::string_view key, const Mechanism& mechanism,
                                                        std::string_view options) {
  const FormulationEntry& entry = needed_formulation(registries, experiment, key);
  std::string all(options);
  for (const auto& [option_name, published] :
       {std::pair("projection", "off"), std::pair("passes", "plain"), std::pair("gauge", "none")}) {
    const bool has_option =
        std::any_of(entry.options.begin(), entry.options.end(),
                    [name = option_name](const ParameterSpecification& option) { return option.name == name; });
    const bool stated = options.find(fmt::format("{}=", option_name)) != std::string_view::npos;
    if (has_option && !stated) {
      all += fmt::format("{}{}={}", all.empty() ? "" : ",", option_name, published);
    }
  }
  return make_formulation(registries.formulations, entry, mechanism, all);
}

const OdeEntry& needed_integrator(const Registries& registries, std::string_view experiment, std::string_view key) {
  const OdeEntry* const entry = find_integrator(registries.integrators, key);
  if (entry == nullptr) {
    throw std::invalid_argument(fmt::format("experiment {} needs the integrator '{}'", experiment, key));
  }
  return *entry;
}

}  // namespace mbdbench
