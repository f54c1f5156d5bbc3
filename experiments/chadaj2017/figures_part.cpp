/// \file
/// No limits: the prototype's step control is not ode45's, so that its numbers show a trend only.
#include <algorithm>
#include <string>

#include "experiments/chadaj2017/loop_case.hpp"
#include "experiments/chadaj2017/parts.hpp"
#include "experiments/chadaj2017/published.hpp"
#include "experiments/chadaj2017/run_monitor.hpp"
#include "experiments/registries/needed_entries.hpp"
#include "experiments/simulation/trajectory_writer.hpp"

namespace mbdbench::chadaj2017 {
namespace {

constexpr double kOutputStep = 0.01;

const PrototypeRun* prototype_of(std::string_view mechanism, const Variant& variant) {
  // The prototype ran the paper's two variants.
  if (variant.name != kDca.name && variant.name != kHdca.name) {
    return nullptr;
  }
  const auto found = std::find_if(kPrototypeRuns.begin(), kPrototypeRuns.end(), [&](const PrototypeRun& run) {
    return run.mechanism == mechanism && run.key == variant.key;
  });
  return found == kPrototypeRuns.end() ? nullptr : &*found;
}

/// Adds records; those with a number of the prototype show it.
class FigureRecords {
 public:
  FigureRecords(PartResult& part, RecordMaker maker) : part_(part), maker_(std::move(maker)) {}

  void add(const char* quantity, const char* unit, double value, std::optional<double> prototype = {}) {
    part_.records.push_back(
        prototype ? maker_.trend(quantity, unit, value, *prototype, kPrototypeSciPy, "another step control")
                  : maker_.measured(quantity, unit, value));
  }

 private:
  PartResult& part_;
  RecordMaker maker_;
};

void add_variant(PartResult& part, const Registries& registries, std::string_view mechanism, const Variant& variant,
                 const std::filesystem::path& directory) {
  LoopCase loop(registries, mechanism, variant);
  const std::string name = std::string(mechanism) + "_" + std::string(variant.name);
  RunMonitor monitor(loop.formulation(), directory / (name + "_errors.csv"));
  TrajectoryWriter trajectory(directory / (name + ".csv"), loop.formulation());
  SinkChain sinks({&monitor, &trajectory});
  const SimulationResult result =
      loop.run(needed_integrator(registries, kExperiment, "ode45"), kTolerance, sample_times(kOutputStep), sinks);
  monitor.finish();
  trajectory.finish();
  const RecordMaker maker = loop.records("ode45", tolerance_text(kTolerance) + ";output_step=0.01");
  if (!result.succeeded()) {
    part.records.push_back(maker.failed("function_evaluations", "1", result.message()));
    return;
  }
  const PrototypeRun* const prototype = prototype_of(mechanism, variant);
  const auto expected = [&](auto PrototypeRun::*member) {
    return prototype != nullptr ? std::optional<double>(prototype->*member) : std::nullopt;
  };
  FigureRecords records(part, maker);
  records.add("function_evaluations", "1", static_cast<double>(result.ode.statistics.nfevals));
  records.add("largest_energy_error", "J", monitor.largest_energy_error());
  records.add("final_energy_error", "J", monitor.final_energy_error(), expected(&PrototypeRun::final_energy_error));
  records.add("largest_position_violation", "m", monitor.position().largest(),
              expected(&PrototypeRun::position_violation));
  records.add("largest_velocity_violation", "m/s", monitor.velocity().largest(),
              expected(&PrototypeRun::velocity_violation));
  records.add("largest_asymmetry", "m", monitor.asymmetry());
  const bool momenta = loop.formulation().layout().back().kind == StateKind::momentum;
  records.add(momenta ? "largest_momentum" : "largest_velocity", momenta ? "kg m^2/s" : "rad/s",
              monitor.largest_rate());
  if (monitor.sigma().largest() > 0.0) {
    records.add("largest_sigma", "N s", monitor.sigma().largest(),
                prototype != nullptr ? prototype->sigma : std::nullopt);
  }
  const auto add_growth = [&](const char* quantity, const GrowthFit& fit, std::optional<double> other) {
    if (const std::optional<double> exponent = fit.exponent()) {
      records.add(quantity, "1", *exponent, other);
    }
  };
  add_growth("position_violation_growth", monitor.position(),
             prototype != nullptr ? prototype->position_growth : std::nullopt);
  add_growth("velocity_violation_growth", monitor.velocity(), {});
  add_growth("energy_error_growth", monitor.energy(), {});
  add_growth("sigma_growth", monitor.sigma(), {});
}

}  // namespace

PartResult figures_part(const Registries& registries, std::string_view mechanism, const std::filesystem::path& output) {
  const std::filesystem::path directory = output / "trajectories";
  std::filesystem::create_directories(directory);
  PartResult part;
  for (const Variant& variant : kShown) {
    add_variant(part, registries, mechanism, variant, directory);
  }
  return part;
}

}  // namespace mbdbench::chadaj2017
