#include "experiments/malczyk2008/closed_case.hpp"

#include <fmt/format.h>

#include "experiments/malczyk2008/published.hpp"
#include "experiments/registries/needed_entries.hpp"
#include "experiments/simulation/time_span.hpp"
#include "formulations/bae_haug/split_bae_haug.hpp"

namespace mbdbench::malczyk2008 {
namespace {

std::unique_ptr<Formulation> make_program(const Registries& registries, const Mechanism& mechanism, Program program,
                                          Exchange* exchange) {
  if (program == Program::split) {
    return make_split_bae_haug(mechanism, {kBaumgarte, kBaumgarte}, exchange);
  }
  return make_formulation(registries.formulations, needed_formulation(registries, kExperiment, "bae-haug"), mechanism,
                          fmt::format("alpha={0},beta={0}", kBaumgarte));
}

}  // namespace

ClosedCase::ClosedCase(const Registries& registries, const std::string& mechanism, Program program, Exchange* exchange)
    : mechanism_(std::make_unique<const Mechanism>(make_mechanism(registries.mechanisms, mechanism))),
      formulation_(make_program(registries, *mechanism_, program, exchange)),
      x0_(initial_state(*formulation_, 0.0)) {}

SimulationResult ClosedCase::run(const Registries& registries, double end, double step, double tolerance,
                                 OdeSink& sink) {
  SimulationOptions options;
  options.ode.relative_tolerance = tolerance;
  options.absolute_tolerance = tolerance;
  return simulate(*formulation_, needed_integrator(registries, kExperiment, kIntegrator), times_of({0.0, end, step}),
                  x0_, options, sink);
}

}  // namespace mbdbench::malczyk2008
