/// \file
/// No limits: the paper gives no numbers.
#include <fmt/format.h>

#include <array>

#include "experiments/malczyk2012/parts.hpp"
#include "experiments/malczyk2012/run_case.hpp"
#include "experiments/malczyk2012/violation_monitor.hpp"

namespace mbdbench::malczyk2012 {
namespace {

constexpr std::array<std::string_view, 7> kPenalties = {"alpha=1e3", "alpha=1e4", "alpha=1e5", "alpha=1e6",
                                                        "alpha=1e7", "alpha=1e8", "alpha=1e9"};

}  // namespace

PartResult penalty_part(const Registries& registries, const Model& model) {
  PartResult part;
  for (const std::string_view penalty : kPenalties) {
    RunCase run(registries, model.key, {"", kProjected.key, penalty});
    ViolationMonitor monitor(run.formulation(), model.rank);
    const SimulationResult result = run.run(registries, kEnd, monitor);
    // Apart from the runs of the table, which have this penalty too.
    const RecordMaker maker = run.records("ode45", run_parameters(kEnd) + ";sweep=penalty");
    if (!result.succeeded()) {
      part.records.push_back(maker.failed("function_evaluations", "1", result.message()));
      continue;
    }
    const auto add = [&](const char* quantity, const char* unit, double value) {
      part.records.push_back(maker.measured(quantity, unit, value));
    };
    add("function_evaluations", "1", static_cast<double>(result.ode.statistics.nfevals));
    add("largest_energy_error", "J", monitor.energy());
    add("largest_position_violation", "m", monitor.position());
    add("largest_velocity_violation", "m/s", monitor.velocity());
    add("mean_position_iterations", "1", monitor.passes(Level::position).mean);
    add("mean_velocity_iterations", "1", monitor.passes(Level::velocity).mean);
    add("mean_acceleration_iterations", "1", monitor.passes(Level::acceleration).mean);
  }
  return part;
}

}  // namespace mbdbench::malczyk2012
