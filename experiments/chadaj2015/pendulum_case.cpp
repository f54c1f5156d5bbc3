#include "experiments/chadaj2015/pendulum_case.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace mbdbench::chadaj2015 {
namespace {

const FormulationEntry& formulation_of(const Registries& registries, std::string_view key) {
  const FormulationEntry* const entry = find_formulation(registries.formulations, key);
  if (entry == nullptr) {
    throw std::invalid_argument(fmt::format("experiment chadaj2015 needs the formulation '{}'", key));
  }
  return *entry;
}

}  // namespace

PendulumCase::PendulumCase(const Registries& registries, std::string_view formulation_key)
    : mechanism_(std::make_unique<const Mechanism>(make_mechanism(registries.mechanisms, kMechanism))) {
  const FormulationEntry& entry = formulation_of(registries, formulation_key);
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
  const OdeEntry* const entry = find_integrator(registries.integrators, key);
  if (entry == nullptr) {
    throw std::invalid_argument(fmt::format("experiment chadaj2015 needs the integrator '{}'", key));
  }
  return *entry;
}

std::string tolerance_text(double tolerance) {
  return fmt::format("tolerance={}", tolerance);
}

}  // namespace mbdbench::chadaj2015
