#include "experiments/registries/registries.hpp"

namespace mbdbench {

Registries default_registries() {
  const auto copy = [](const auto& registry) { return std::vector(registry.begin(), registry.end()); };
  return {copy(mechanism_registry()), copy(formulation_registry()), copy(integrator_registry()),
          copy(experiment_registry())};
}

}  // namespace mbdbench
