#include "experiments/chadaj2015/pendulum_case.hpp"

#include "experiments/registries/needed_entries.hpp"

namespace mbdbench::chadaj2015 {

PendulumCase::PendulumCase(const Registries& registries, std::string_view formulation_key)
    : mechanism_(std::make_unique<const Mechanism>(make_mechanism(registries.mechanisms, kMechanism))) {
  const FormulationEntry& entry = needed_formulation(registries, "chadaj2015", formulation_key);
  formulation_ = make_formulation(registries.formulations, entry, *mechanism_);
  key_ = entry.key;
  rate_kind_ = entry.rate_kind;
  x0_ = initial_state(*formulation_, 0.0);
}

SimulationResult PendulumCase::run(const OdeEntry& integrator, double tolerance, const std::vector<double>& times,
                                   OdeSink& sink, const std::vector<StateKind>& controlled) {
  SimulationOptions options;
  options.ode.relative_tolerance = tolerance;
  options.absolute_tolerance = tolerance;
  options.controlled = controlled;
  return simulate(*formulation_, integrator, times, x0_, options, sink);
}

const OdeEntry& integrator_of(const Registries& registries, std::string_view key) {
  return needed_integrator(registries, "chadaj2015", key);
}

}  // namespace mbdbench::chadaj2015
