/// \file
/// Limit of the tip: it is known to 5e-8 m, and in double precision rounding of 1e-16 a step over the 1.5e4 steps at
/// tight tolerance, amplified 4e4-fold by 10 s, leaves an uncertainty of the same size. 1e-7 m covers both.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "experiments/chadaj2015/parts.hpp"
#include "experiments/chadaj2015/pendulum_case.hpp"
#include "experiments/chadaj2015/published.hpp"
#include "experiments/simulation/sample_keeper.hpp"

namespace mbdbench::chadaj2015 {
namespace {

constexpr double kTightTolerance = 1e-13;
constexpr double kTipLimit = 1e-7;

/// A run at tight tolerance, sampled at the comparison times and at the end.
struct TightRun {
  explicit TightRun(const Registries& registries, std::string_view formulation) : pendulum(registries, formulation) {
    std::vector<double> times = {0.0};
    times.insert(times.end(), kComparisonTimes.begin(), kComparisonTimes.end());
    times.push_back(kEnd);
    result = pendulum.run(integrator_of(registries, "ode45"), kTightTolerance, times, samples);
  }

  PendulumCase pendulum;
  SampleKeeper samples;
  SimulationResult result;
};

void add_tip(PartResult& part, TightRun& run) {
  Observation observation;
  const RhsStatus status = run.pendulum.formulation().observe(kEnd, run.samples.states().back(), observation);
  const Vec3 tip = status.ok ? observation.marker_positions.front() : Vec3::Constant(OdeOptions::kUnset);
  const PendulumRecordMaker maker(run.pendulum.key(), "ode45", tolerance_text(kTightTolerance) + ";t=10");
  const auto add = [&](const char* coordinate, double value, double expected) {
    part.records.push_back(maker.compared(fmt::format("tip_{}", coordinate), "m", value,
                                          {expected, kPrototype, kTipLimit / std::abs(expected),
                                           "1e-7 m: digits known, and rounding amplified by chaos"}));
    part.records.push_back(maker.measured(fmt::format("tip_{}_difference", coordinate), "m", value - expected));
  };
  add("x", tip.x(), kTipX);
  add("z", tip.z(), kTipZ);
}

}  // namespace

PartResult reference_part(const Registries& registries) {
  // The oracle, and the same oracle in other variables, whose local errors differ: their distance is the uncertainty.
  TightRun reference(registries, "dense");
  TightRun check(registries, "dense-momentum");
  PartResult part;
  for (const TightRun* run : {&reference, &check}) {
    if (!run->result.succeeded()) {
      const PendulumRecordMaker maker(run->pendulum.key(), "ode45", tolerance_text(kTightTolerance));
      part.records.push_back(maker.failed("angle", "rad", run->result));
    }
  }
  if (!part.records.empty()) {
    return part;
  }
  const auto angles = static_cast<std::size_t>(reference.pendulum.mechanism().q_size());
  for (std::size_t k = 1; k < reference.samples.times().size(); ++k) {
    const std::string parameters =
        fmt::format("{};t={}", tolerance_text(kTightTolerance), reference.samples.times()[k]);
    const PendulumRecordMaker maker("dense", "ode45", parameters);
    double uncertainty = 0.0;
    for (std::size_t i = 0; i < angles; ++i) {
      const double angle = reference.samples.states()[k][i];
      part.records.push_back(
          maker.measured("angle." + reference.pendulum.formulation().layout()[i].name, "rad", angle));
      uncertainty = std::max(uncertainty, std::abs(angle - check.samples.states()[k][i]));
    }
    part.records.push_back(
        maker.measured("angle_uncertainty", "rad", uncertainty, "largest difference from dense-momentum"));
  }
  add_tip(part, reference);
  add_tip(part, check);
  return part;
}

}  // namespace mbdbench::chadaj2015
