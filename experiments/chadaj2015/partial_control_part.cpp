/// \file
/// Limit: counts are integers and must be equal.
#include <array>

#include "experiments/chadaj2015/parts.hpp"
#include "experiments/chadaj2015/pendulum_case.hpp"
#include "experiments/chadaj2015/published.hpp"
#include "experiments/monitors/energy_monitor.hpp"

namespace mbdbench::chadaj2015 {

PartResult partial_control_part(const Registries& registries) {
  PartResult part;
  for (const char* const formulation : {"dca", "hdca"}) {
    PendulumCase pendulum(registries, formulation);
    EnergyMonitor energy(pendulum.formulation());
    const SimulationResult result =
        pendulum.run(integrator_of(registries, "ode45"), kTolerance, {0.0, kEnd}, energy, {StateKind::position});
    const PendulumRecordMaker maker(formulation, "ode45", tolerance_text(kTolerance) + ";control=position");
    if (!result.succeeded()) {
      part.records.push_back(maker.failed("function_evaluations", "1", result));
      continue;
    }
    const double expected = prototype_run(pendulum.rate_kind()).function_evaluations_angles_control;
    part.records.push_back(maker.compared("function_evaluations", "1",
                                          static_cast<double>(result.ode.statistics.nfevals),
                                          {expected, kPrototype, 0.0, "counts must be equal"}));
    part.records.push_back(maker.measured("largest_energy_error", "J", energy.largest_error()));
  }
  return part;
}

}  // namespace mbdbench::chadaj2015
