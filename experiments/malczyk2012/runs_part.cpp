/// \file
/// No limits: the prototype's step control is not ode45's, so that its numbers show a trend only.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/malczyk2012/parts.hpp"
#include "experiments/malczyk2012/published.hpp"
#include "experiments/malczyk2012/run_case.hpp"
#include "experiments/malczyk2012/violation_monitor.hpp"

namespace mbdbench::malczyk2012 {
namespace {

constexpr int kRepetitions = 3;
constexpr double kComparedEnd = 5.0;  // of the prototype's runs of the coupled loops

const PrototypeRun* prototype_of(const Model& model, const Variant& variant, double end) {
  const auto found = std::find_if(kPrototypeRuns.begin(), kPrototypeRuns.end(), [&](const PrototypeRun& run) {
    return run.model.key == model.key && run.variant.label() == variant.label() && run.end == end;
  });
  return found == kPrototypeRuns.end() ? nullptr : &*found;
}

void add_passes(PartResult& part, const RecordMaker& maker, const ViolationMonitor& monitor) {
  for (const auto& [of, level] : {std::pair("position", Level::position), std::pair("velocity", Level::velocity),
                                  std::pair("acceleration", Level::acceleration)}) {
    const PassFigures figures = monitor.passes(level);
    const auto add = [&, name = of](const char* what, double value) {
      part.records.push_back(maker.measured(fmt::format("{}_{}_iterations", what, name), "1", value));
    };
    add("mean", figures.mean);
    add("share_within_four", figures.share_within_four);
    add("most_regular", figures.most_regular);
    add("most_singular", figures.most_singular);
  }
}

void add_run(PartResult& part, const Registries& registries, const Model& model, const Variant& variant, double end,
             const std::filesystem::path& directory) {
  RunCase run(registries, model.key, variant);
  ViolationMonitor monitor(
      run.formulation(), model.rank,
      directory / fmt::format("{}_{}{}.csv", model.name, variant.name, end == kEnd ? "" : "_short"));
  const SimulationResult result = run.run(registries, end, monitor);
  monitor.finish();
  const RecordMaker maker = run.records("ode45", run_parameters(end));
  if (!result.succeeded()) {
    part.records.push_back(maker.failed("function_evaluations", "1", result.message()));
    return;
  }
  const PrototypeRun* const prototype = prototype_of(model, variant, end);
  const auto add = [&](const char* quantity, const char* unit, double value) {
    part.records.push_back(maker.measured(quantity, unit, value));
  };
  const auto add_beside = [&](const char* quantity, const char* unit, double value, double PrototypeRun::*member) {
    if (prototype == nullptr) {
      add(quantity, unit, value);
    } else {
      part.records.push_back(
          maker.trend(quantity, unit, value, prototype->*member, kPrototype, "another step control"));
    }
  };
  add("function_evaluations", "1", static_cast<double>(result.ode.statistics.nfevals));
  add("steps", "1", static_cast<double>(result.ode.statistics.nsteps));
  add("failed_attempts", "1", static_cast<double>(result.ode.statistics.nfailed));
  add_beside("largest_energy_error", "J", monitor.energy(), &PrototypeRun::energy);
  add_beside("largest_position_violation", "m", monitor.position(), &PrototypeRun::position);
  add_beside("largest_velocity_violation", "m/s", monitor.velocity(), &PrototypeRun::velocity);
  if (monitor.acceleration()) {
    add("largest_acceleration_violation", "m/s^2", *monitor.acceleration());
  }
  add("smallest_singular_value", "m", monitor.smallest_singular_value());
  if (monitor.iterates()) {
    add_passes(part, maker, monitor);
  }
}

void add_times(PartResult& part, const Registries& registries, const Model& model, bool quick) {
  std::vector<RunCase> runs;
  runs.reserve(kVariants.size());
  for (const Variant& variant : kVariants) {
    runs.emplace_back(registries, model.key, variant);
  }
  // In turn, so that whatever else the machine does meets all variants alike; the fastest was disturbed least.
  std::vector<RepeatedTimes> times(runs.size());
  for (int repetition = 0; repetition < (quick ? 1 : kRepetitions); ++repetition) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      NullSink sink;
      const SimulationResult result = runs[i].run(registries, kEnd, sink);
      if (result.succeeded()) {
        times[i].add(result.time);
      }
    }
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RecordMaker maker = runs[i].records("ode45", run_parameters(kEnd));
    part.timings.push_back(times[i].count() > 0 ? maker.timed("wall_time", times[i].fastest())
                                                : maker.failed("wall_time", "s", "the run failed"));
  }
}

}  // namespace

PartResult runs_part(const Registries& registries, const Model& model, const std::filesystem::path& output,
                     bool quick) {
  const std::filesystem::path directory = output / "trajectories";
  std::filesystem::create_directories(directory);
  PartResult part;
  for (const Variant& variant : kVariants) {
    add_run(part, registries, model, variant, kEnd, directory);
    if (prototype_of(model, variant, kComparedEnd) != nullptr) {
      add_run(part, registries, model, variant, kComparedEnd, directory);
    }
  }
  add_times(part, registries, model, quick);
  return part;
}

}  // namespace mbdbench::malczyk2012
