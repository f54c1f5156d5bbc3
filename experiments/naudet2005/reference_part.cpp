/// \file
/// The reference is the oracle at tight tolerance; that it is known well enough is shown by two other formulations.
///
/// The paper's reference: "the adaptive Runge-Kutta Fehlberg method", absolute and relative tolerance 1e-18
/// and 2.2e-14. It prints no error of it, but table 2 stops at 2e-11 and table 1 at 3.8e-11 and 2.9e-11, where the runs
/// themselves are a hundred times better: that is the reference's own error, met here in size. No limit: rounding
/// decides.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/naudet2005/biped_case.hpp"
#include "experiments/naudet2005/parts.hpp"
#include "experiments/registries/needed_entries.hpp"

namespace mbdbench::naudet2005 {
namespace {

constexpr double kTightTolerance = 1e-13;
constexpr std::array<double, 2> kReferenceInterval = {0.0, kEnd};
// 100 eps, the smallest relative tolerance that MATLAB allows.
constexpr double kPaperRelativeTolerance = 2.220446049250313e-14;
constexpr double kPaperAbsoluteTolerance = 1e-18;

// An inference from the table, not a number that the paper prints of its reference.
constexpr NumberSource kWhereTable1Stops = expected_from("the end errors at which Naudet2005, table 1, stops");

constexpr Form kOracle = {"dense", "dense", "", nullptr, 0, 0};

SimulationResult tight_run(BipedCase& biped, const Registries& registries) {
  NullSink sink;
  return biped.run(needed_integrator(registries, kExperiment, "ode45"), kReferenceInterval,
                   with_tolerance(kTightTolerance), sink);
}

void add_paper_reference(PartResult& part, const Registries& registries, const Form& form,
                         const std::vector<double>& angles) {
  BipedCase biped(registries, form);
  SimulationOptions options = with_tolerance(kPaperRelativeTolerance);
  options.absolute_tolerance = kPaperAbsoluteTolerance;
  NullSink sink;
  const SimulationResult result =
      biped.run(needed_integrator(registries, kExperiment, "rkf45"), kReferenceInterval, options, sink);
  const RecordMaker maker = biped.records("rkf45", "absolute_tolerance=1e-18;relative_tolerance=2.2e-14");
  if (!result.succeeded()) {
    part.records.push_back(maker.failed("reference_error", "rad", result.message()));
    return;
  }
  part.records.push_back(maker.trend("reference_error", "rad", mean_error(result.ode.x, angles),
                                     kFixedStepRows.back().end_error.*form.published, kWhereTable1Stops,
                                     "the paper prints no error of its reference"));
}

}  // namespace

PartResult reference_part(const Registries& registries) {
  PartResult part;
  BipedCase oracle(registries, kOracle);
  const SimulationResult reference = tight_run(oracle, registries);
  const RecordMaker maker = oracle.records("ode45", fmt::format("{};t={}", tolerance_text(kTightTolerance), kEnd));
  if (!reference.succeeded()) {
    part.records.push_back(maker.failed("angle", "rad", reference.message()));
    return part;
  }
  const std::vector<double> angles(reference.ode.x.begin(), reference.ode.x.begin() + kIndependent);
  for (std::size_t i = 0; i < kIndependent; ++i) {
    part.records.push_back(maker.measured("angle." + oracle.formulation().layout()[i].name, "rad", angles[i]));
  }
  double uncertainty = 0.0;
  for (const Form& form : {kHamilton, kLagrangeReduced, kHamiltonReduced}) {
    BipedCase other(registries, form);
    const SimulationResult check = tight_run(other, registries);
    if (!check.succeeded()) {
      part.records.push_back(
          other.records("ode45", tolerance_text(kTightTolerance)).failed("angle", "rad", check.message()));
      return part;
    }
    uncertainty = std::max(uncertainty, largest_error(check.ode.x, angles));
  }
  part.records.push_back(
      maker.measured("angle_uncertainty", "rad", uncertainty, "largest distance from naudet and both reduced forms"));
  for (const Form& form : kPaperForms) {
    add_paper_reference(part, registries, form, angles);
  }
  return part;
}

}  // namespace mbdbench::naudet2005
