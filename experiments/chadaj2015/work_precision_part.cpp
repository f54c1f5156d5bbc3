/// \file
/// No limits: the paper gives no accuracy to compare with.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "experiments/chadaj2015/parts.hpp"
#include "experiments/chadaj2015/pendulum_case.hpp"
#include "experiments/monitors/energy_monitor.hpp"
#include "experiments/simulation/sample_keeper.hpp"

namespace mbdbench::chadaj2015 {
namespace {

/// \returns the angle of the reference part. \param name layout name of the angle
double reference_angle(const std::vector<Record>& records, const std::string& name, double t) {
  const std::string suffix = fmt::format(";t={}", t);
  const auto found = std::find_if(records.begin(), records.end(), [&](const Record& record) {
    return record.quantity == "angle." + name && record.parameters.ends_with(suffix) && record.value;
  });
  if (found == records.end()) {
    throw std::runtime_error(
        fmt::format("chadaj2015: the reference at t = {} failed; see records of quantity 'angle'", t));
  }
  return *found->value;
}

}  // namespace

PartResult work_precision_part(const Registries& registries, std::string_view formulation, std::string_view integrator,
                               double tolerance, const std::vector<Record>& before) {
  PendulumCase pendulum(registries, formulation);
  EnergyMonitor energy(pendulum.formulation());
  SampleKeeper samples;
  SinkChain sinks({&energy, &samples});
  // The first requested time is far beyond any first step: the steps are those of the two-entry interval.
  std::vector<double> times = {0.0};
  times.insert(times.end(), kComparisonTimes.begin(), kComparisonTimes.end());
  times.push_back(kEnd);
  const SimulationResult result = pendulum.run(integrator_of(registries, integrator), tolerance, times, sinks);

  PartResult part;
  const PendulumRecordMaker maker(formulation, integrator, tolerance_text(tolerance));
  if (!result.succeeded()) {
    part.records.push_back(maker.failed("function_evaluations", "1", result));
    return part;
  }
  part.records = {
      maker.measured("function_evaluations", "1", static_cast<double>(result.ode.statistics.nfevals)),
      maker.measured("largest_energy_error", "J", energy.largest_error()),
      maker.measured("final_energy_error", "J", energy.final_error()),
  };
  const auto angles = static_cast<std::size_t>(pendulum.mechanism().q_size());
  for (std::size_t k = 1; k + 1 < samples.times().size(); ++k) {
    double error = 0.0;
    for (std::size_t i = 0; i < angles; ++i) {
      const double angle = reference_angle(before, pendulum.formulation().layout()[i].name, samples.times()[k]);
      error = std::max(error, std::abs(samples.states()[k][i] - angle));
    }
    const PendulumRecordMaker at_time(formulation, integrator,
                                      fmt::format("{};t={}", tolerance_text(tolerance), samples.times()[k]));
    part.records.push_back(at_time.measured("angle_error", "rad", error, "largest difference from the reference"));
  }
  return part;
}

}  // namespace mbdbench::chadaj2015
