#include "experiments/registries/registries.hpp"

#include "integrators/runge_kutta/rkf45_restarted.hpp"

namespace mbdbench {

Registries default_registries() {
  const auto copy = [](const auto& registry) { return std::vector(registry.begin(), registry.end()); };
  Registries all = {copy(mechanism_registry()),
                    {formulation_registry().entries},
                    copy(integrator_registry()),
                    copy(experiment_registry())};
  all.integrators.push_back(kRestartedFehlberg);
  return all;
}

}  // namespace mbdbench
