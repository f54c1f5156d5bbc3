/// \file
/// No limits: nothing is published to compare with. A run that needs more evaluations than the case allows ends its
/// curve; a step too large for a fixed-step method is a gap in it.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

#include "experiments/integrators/parts.hpp"
#include "experiments/records/record_maker.hpp"
#include "experiments/simulation/simulation.hpp"

namespace mbdbench::integrator_study {
namespace {

constexpr double kLoosest = 1e-3;
/// Steps of the first run of a fixed-step method; each further one has twice as many.
constexpr double kFewestSteps = 32.0;

RecordMaker maker_of(const WorkCase& target, std::string_view integrator, std::string parameters) {
  return RecordMaker({.experiment = std::string(kExperiment),
                      .mechanism = target.mechanism,
                      .formulation = target.formulation,
                      .integrator = std::string(integrator),
                      .parameters = std::move(parameters)});
}

/// Tolerance or step of the run with this number, as options and as text.
std::string set_parameter(OdeOptions& options, const OdeEntry& integrator, double tf, int number) {
  if (integrator.adaptive) {
    const double tolerance = kLoosest * std::pow(10.0, -number);
    options.relative_tolerance = tolerance;
    options.absolute_tolerance = {tolerance};
    return fmt::format("tolerance={:.0e}", tolerance);
  }
  options.fixed_step = tf / (kFewestSteps * std::pow(2.0, number));
  return fmt::format("step={:.6g}", options.fixed_step);
}

void add_errors(PartResult& part, const RecordMaker& maker, const WorkCase& target, const Outcome& outcome,
                const Reference& reference) {
  const double error = coordinate_error(outcome, reference.outcome);
  if (target.is_mechanism()) {
    part.records.push_back(maker.measured("position_error", "m", error, "of a body's centre of mass"));
    part.records.push_back(
        maker.measured("orientation_error", "rad", rotation_error(outcome, reference.outcome), "of a body"));
  } else {
    part.records.push_back(maker.measured("error", "1", error, "of a state component"));
  }
}

}  // namespace

PartResult reference_part(const WorkCase& target, const Reference& reference) {
  PartResult part;
  WorkCase described = target;
  described.formulation.clear();
  const RecordMaker maker = maker_of(described, "", fmt::format("t={:.6g}", target.tf));
  if (!reference.failure.empty()) {
    part.records.push_back(maker.failed("reference_uncertainty", target.is_mechanism() ? "m" : "1", reference.failure));
    return part;
  }
  part.records.push_back(maker.measured("reference_uncertainty", target.is_mechanism() ? "m" : "1",
                                        reference.coordinate_uncertainty, reference.method));
  if (target.is_mechanism()) {
    part.records.push_back(
        maker.measured("reference_orientation_uncertainty", "rad", reference.rotation_uncertainty, reference.method));
  }
  return part;
}

PartResult work_precision_part(const WorkCase& target, const Reference& reference, const OdeEntry& integrator,
                               int points) {
  PartResult part;
  if (!reference.failure.empty()) {
    return part;
  }
  OdeOptions options;
  options.max_evaluations = target.evaluation_limit;
  const std::array tspan = {0.0, target.tf};
  // Halved steps are closer together than tenfold tolerances.
  const int runs = integrator.adaptive ? points : 2 * points;
  for (int number = 0; number < runs; ++number) {
    const std::string parameters = set_parameter(options, integrator, target.tf, number);
    const RecordMaker maker = maker_of(target, integrator.key, parameters);
    NullSink sink;
    const OdeResult result = integrator.solve(target.system, tspan, target.x0, options, sink);
    if (result.status == OdeStatus::ok) {
      const double evaluations = static_cast<double>(result.statistics.nfevals);
      part.records.push_back(maker.measured("function_evaluations", "1", evaluations));
      add_errors(part, maker, target, target.outcome(result.t, result.x), reference);
    } else {
      part.records.push_back(maker.measured("time_reached", "s", result.t, result.message));
    }
    if (result.status == OdeStatus::evaluation_limit) {
      break;
    }
  }
  return part;
}

}  // namespace mbdbench::integrator_study
