/// \file
/// Limits: counts of the prototype's runs with ode45's own control must be equal.
#include <algorithm>
#include <array>
#include <string>

#include "experiments/chadaj2017/loop_case.hpp"
#include "experiments/chadaj2017/parts.hpp"
#include "experiments/chadaj2017/published.hpp"
#include "experiments/chadaj2017/run_monitor.hpp"
#include "experiments/registries/needed_entries.hpp"

namespace mbdbench::chadaj2017 {
namespace {

/// What is done about the gauge; `control` names it in the records' parameters.
struct GaugeSetting {
  std::string_view control;
  std::string_view options;
  bool one_step_only;  ///< it changes the state, which multistep methods pay with a restart
};

constexpr std::array kSettings = {
    GaugeSetting{"none", "", false},
    GaugeSetting{"leak 2 1/s", "gauge=leak,leak=2", false},
    GaugeSetting{"leak 5 1/s", "gauge=leak,leak=5", false},
    GaugeSetting{"leak 10 1/s", "gauge=leak,leak=10", false},
    GaugeSetting{"leak 20 1/s", "gauge=leak,leak=20", false},
    GaugeSetting{"reset every 0.1 s", "gauge=reset,reset_interval=0.1", true},
    GaugeSetting{"leak 10 1/s, feedback 10 1/s", "gauge=leak,leak=10,feedback=10", false},
};

std::string joined(std::string_view first, std::string_view second) {
  std::string text(first);
  if (!first.empty() && !second.empty()) {
    text += ",";
  }
  return text += second;
}

void add_run(PartResult& part, const Registries& registries, std::string_view mechanism, const Variant& variant,
             std::string_view control, const OdeEntry& integrator) {
  LoopCase loop(registries, mechanism, variant);
  RunMonitor monitor(loop.formulation());
  const SimulationResult result = loop.run(integrator, kTolerance, {0.0, kEnd}, monitor);
  const RecordMaker maker =
      loop.records(integrator.key, tolerance_text(kTolerance) + ";gauge_control=" + std::string(control));
  if (!result.succeeded()) {
    part.records.push_back(maker.failed("function_evaluations", "1", result.message()));
    return;
  }
  const auto count = static_cast<double>(result.ode.statistics.nfevals);
  const auto known =
      std::find_if(kPrototypeCountsOfOde45.begin(), kPrototypeCountsOfOde45.end(), [&](const PrototypeCount& entry) {
        return integrator.key == "ode45" && entry.mechanism == mechanism && entry.key == variant.key &&
               entry.options == variant.options;
      });
  part.records.push_back(known == kPrototypeCountsOfOde45.end()
                             ? maker.measured("function_evaluations", "1", count)
                             : maker.compared("function_evaluations", "1", count,
                                              {static_cast<double>(known->function_evaluations), kPrototypeCounts, 0.0,
                                               "counts must be equal"}));
  const auto add = [&](const char* quantity, const char* unit, double value) {
    part.records.push_back(maker.measured(quantity, unit, value));
  };
  add("largest_energy_error", "J", monitor.largest_energy_error());
  add("largest_position_violation", "m", monitor.position().largest());
  add("largest_velocity_violation", "m/s", monitor.velocity().largest());
  add("largest_sigma", "N s", monitor.sigma().largest());
}

}  // namespace

PartResult gauge_part(const Registries& registries, std::string_view mechanism) {
  PartResult part;
  for (const char* const integrator_key : {"ode45", "ode113"}) {
    const OdeEntry& integrator = needed_integrator(registries, kExperiment, integrator_key);
    add_run(part, registries, mechanism, kDca, "none", integrator);
    for (const std::string_view axes : {"cut_axes=body", ""}) {
      for (const GaugeSetting& setting : kSettings) {
        if (setting.one_step_only && integrator.key != "ode45") {
          continue;
        }
        const std::string options = joined(axes, setting.options);
        add_run(part, registries, mechanism, Variant{"", "hdca", options}, setting.control, integrator);
      }
    }
  }
  return part;
}

}  // namespace mbdbench::chadaj2017
