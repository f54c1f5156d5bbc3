#include "experiments/malczyk2012/run_case.hpp"

#include <fmt/format.h>

#include <array>

#include "experiments/needed_entries.hpp"

namespace mbdbench::malczyk2012 {

RunCase::RunCase(const Registries& registries, std::string_view mechanism, const Variant& variant)
    : key_(mechanism),
      mechanism_(std::make_unique<const Mechanism>(make_mechanism(registries.mechanisms, mechanism))),
      formulation_(make_published_formulation(registries, kExperiment, variant.key, *mechanism_, variant.options)),
      label_(variant.label()),
      x0_(initial_state(*formulation_, 0.0)) {}

SimulationResult RunCase::run(const Registries& registries, double end, OdeSink& sink) {
  SimulationOptions options;
  options.ode.relative_tolerance = kTolerance;
  options.absolute_tolerance = kTolerance;
  return simulate(*formulation_, needed_integrator(registries, kExperiment, "ode45"), std::array{0.0, end}, x0_,
                  options, sink);
}

RecordMaker RunCase::records(std::string_view integrator, std::string parameters) const {
  return RecordMaker({.experiment = std::string(kExperiment),
                      .mechanism = key_,
                      .formulation = label_,
                      .integrator = std::string(integrator),
                      .parameters = std::move(parameters)});
}

std::string run_parameters(double end) {
  return fmt::format("{};end={}", tolerance_text(kTolerance), end);
}

}  // namespace mbdbench::malczyk2012
