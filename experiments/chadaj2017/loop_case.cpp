#include "experiments/chadaj2017/loop_case.hpp"

#include "experiments/registries/needed_entries.hpp"
#include "experiments/simulation/time_span.hpp"

namespace mbdbench::chadaj2017 {

LoopCase::LoopCase(const Registries& registries, std::string_view mechanism, const Variant& variant)
    : mechanism_(std::make_unique<const Mechanism>(make_mechanism(registries.mechanisms, mechanism))),
      formulation_(make_published_formulation(registries, kExperiment, variant.key, *mechanism_, variant.options)),
      label_(variant.label()),
      x0_(initial_state(*formulation_, 0.0)) {}

SimulationResult LoopCase::run(const OdeEntry& integrator, double tolerance, const std::vector<double>& times,
                               OdeSink& sink) {
  SimulationOptions options;
  options.ode.relative_tolerance = tolerance;
  options.absolute_tolerance = tolerance;
  return simulate(*formulation_, integrator, times, x0_, options, sink);
}

RecordMaker records_of(std::string_view mechanism, std::string_view formulation, std::string_view integrator,
                       std::string parameters) {
  return RecordMaker({.experiment = std::string(kExperiment),
                      .mechanism = std::string(mechanism),
                      .formulation = std::string(formulation),
                      .integrator = std::string(integrator),
                      .parameters = std::move(parameters)});
}

RecordMaker LoopCase::records(std::string_view integrator, std::string parameters) const {
  return records_of(mechanism_->name(), label_, integrator, std::move(parameters));
}

std::vector<double> sample_times(double step) {
  return times_of({0.0, kEnd, step});
}

}  // namespace mbdbench::chadaj2017
