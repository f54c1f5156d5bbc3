/// \file
/// Limits: counts of the prototype's runs with ode45's own control must be equal.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "experiments/chadaj2017/loop_case.hpp"
#include "experiments/chadaj2017/parts.hpp"
#include "experiments/chadaj2017/point_samples.hpp"
#include "experiments/chadaj2017/published.hpp"
#include "experiments/chadaj2017/run_monitor.hpp"
#include "experiments/registries/needed_entries.hpp"

namespace mbdbench::chadaj2017 {
namespace {

constexpr int kRepetitions = 3;  // of a timed run; a quick look takes the first
// Longer runs average over what else the machine does; they are timed once, s.
constexpr double kLongRun = 0.2;

/// \returns one coordinate of K in the records of the reference part.
double reference_coordinate(const std::vector<Record>& records, std::string_view mechanism, const char* quantity,
                            std::size_t second) {
  const std::string suffix = fmt::format(";t={}", second);
  const auto found = std::find_if(records.begin(), records.end(), [&](const Record& record) {
    return record.mechanism == mechanism && record.quantity == quantity && record.parameters.ends_with(suffix) &&
           record.value;
  });
  if (found == records.end()) {
    throw std::runtime_error(
        fmt::format("chadaj2017: the reference of {} failed; see its records of quantity 'point_y'", mechanism));
  }
  return *found->value;
}

double largest_point_error(const std::vector<Vec3>& points, const std::vector<Record>& before,
                           std::string_view mechanism) {
  double error = 0.0;
  for (std::size_t k = 1; k < points.size(); ++k) {
    const Vec3 reference(reference_coordinate(before, mechanism, "point_x", k),
                         reference_coordinate(before, mechanism, "point_y", k), 0.0);
    error = std::max(error, (points[k] - reference).norm());
  }
  return error;
}

Record evaluations(const RecordMaker& maker, std::string_view mechanism, std::string_view integrator, double tolerance,
                   const Variant& variant, const SimulationResult& result) {
  const auto value = static_cast<double>(result.ode.statistics.nfevals);
  const auto known =
      std::find_if(kPrototypeCountsOfOde45.begin(), kPrototypeCountsOfOde45.end(), [&](const PrototypeCount& count) {
        return integrator == "ode45" && tolerance == kTolerance && count.mechanism == mechanism &&
               count.key == variant.key && count.options == variant.options;
      });
  return known == kPrototypeCountsOfOde45.end() ? maker.measured("function_evaluations", "1", value)
                                                : maker.compared("function_evaluations", "1", value,
                                                                 {static_cast<double>(known->function_evaluations),
                                                                  kPrototypeCounts, 0.0, "counts must be equal"});
}

/// \returns whether the run reached its end.
bool add_run(PartResult& part, LoopCase& loop, const OdeEntry& integrator, double tolerance, const Variant& variant,
             std::string_view mechanism, const std::vector<Record>& before) {
  RunMonitor monitor(loop.formulation());
  PointSamples samples(loop.formulation());
  SinkChain sinks({&monitor, &samples});
  // The first requested time is far beyond any first step: the steps are those of the two-entry interval.
  const SimulationResult result = loop.run(integrator, tolerance, sample_times(kPointStep), sinks);
  const RecordMaker maker = loop.records(integrator.key, tolerance_text(tolerance));
  if (!result.succeeded()) {
    part.records.push_back(maker.failed("function_evaluations", "1", result.message()));
    return false;
  }
  part.records.push_back(evaluations(maker, mechanism, integrator.key, tolerance, variant, result));
  const auto add = [&](const char* quantity, const char* unit, double value) {
    part.records.push_back(maker.measured(quantity, unit, value));
  };
  add("steps", "1", static_cast<double>(result.ode.statistics.nsteps));
  add("failed_attempts", "1", static_cast<double>(result.ode.statistics.nfailed));
  add("largest_energy_error", "J", monitor.largest_energy_error());
  add("largest_position_violation", "m", monitor.position().largest());
  add("largest_velocity_violation", "m/s", monitor.velocity().largest());
  add("largest_asymmetry", "m", monitor.asymmetry());
  add("point_error", "m", largest_point_error(samples.positions(), before, mechanism));
  return true;
}

}  // namespace

PartResult sweep_part(const Registries& registries, std::string_view mechanism, std::string_view integrator_key,
                      double tolerance, const std::vector<Record>& before, bool quick) {
  const OdeEntry& integrator = needed_integrator(registries, kExperiment, integrator_key);
  PartResult part;
  std::vector<LoopCase> loops;
  for (const Variant& variant : kCompared) {
    LoopCase loop(registries, mechanism, variant);
    if (add_run(part, loop, integrator, tolerance, variant, mechanism, before)) {
      loops.push_back(std::move(loop));
    }
  }
  // In turn, so that whatever else the machine does meets all variants alike; the fastest was disturbed least.
  std::vector<RepeatedTimes> times(loops.size());
  for (int repetition = 0; repetition < (quick ? 1 : kRepetitions); ++repetition) {
    for (std::size_t i = 0; i < loops.size(); ++i) {
      if (repetition == 0 || times[i].fastest().seconds < kLongRun) {
        NullSink sink;
        times[i].add(loops[i].run(integrator, tolerance, {0.0, kEnd}, sink).time);
      }
    }
  }
  for (std::size_t i = 0; i < loops.size(); ++i) {
    part.timings.push_back(
        loops[i].records(integrator.key, tolerance_text(tolerance)).timed("wall_time", times[i].fastest()));
  }
  return part;
}

}  // namespace mbdbench::chadaj2017
