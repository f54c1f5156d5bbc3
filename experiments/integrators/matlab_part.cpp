/// \file
/// Limits: counts are integers and must be equal. y1(20): rounding differences of 1e-16 a step, amplified by the steps
/// that depend on them, reach 1e-13; the methods' own errors are 1e-2, so that 1e-11 proves the same steps.
#include <array>
#include <string>

#include "experiments/integrators/parts.hpp"
#include "experiments/integrators/problems.hpp"
#include "experiments/integrators/published.hpp"
#include "experiments/records/record_maker.hpp"
#include "experiments/simulation/simulation.hpp"

namespace mbdbench::integrator_study {
namespace {

constexpr double kFinalLimit = 1e-11;

void add_run(PartResult& part, const Registries& registries, const MatlabRun& published) {
  const RecordMaker maker({.experiment = std::string(kExperiment),
                           .mechanism = std::string(published.problem),
                           .formulation = {},
                           .integrator = std::string(published.integrator),
                           .parameters = "relative_tolerance=0.001;absolute_tolerance=1e-06"});
  const Problem problem = problem_of(published.problem);
  const std::array tspan = {0.0, problem.tf};
  NullSink sink;
  const OdeResult result =
      integrator_of(registries, published.integrator).solve(problem.system, tspan, problem.x0, OdeOptions{}, sink);
  if (result.status != OdeStatus::ok) {
    part.records.push_back(maker.failed("steps", "1", result.message));
    return;
  }
  const auto add = [&](const char* quantity, std::size_t count, const std::optional<int>& expected) {
    if (expected) {
      part.records.push_back(maker.compared(quantity, "1", static_cast<double>(count),
                                            {static_cast<double>(*expected), kMatlab, 0.0, "counts must be equal"}));
    }
  };
  const OdeStatistics& counts = result.statistics;
  add("steps", counts.nsteps, published.steps);
  add("failed_attempts", counts.nfailed, published.failed_attempts);
  add("function_evaluations", counts.nfevals, published.function_evaluations);
  add("jacobians", counts.npds, published.jacobians);
  if (published.final_y1) {
    part.records.push_back(maker.compared(
        "final_y1", "1", result.x[0], {*published.final_y1, kMatlab, kFinalLimit, "rounding along the same steps"}));
  }
}

}  // namespace

PartResult matlab_part(const Registries& registries) {
  PartResult part;
  for (const MatlabRun& published : kMatlabRuns) {
    add_run(part, registries, published);
  }
  return part;
}

}  // namespace mbdbench::integrator_study
