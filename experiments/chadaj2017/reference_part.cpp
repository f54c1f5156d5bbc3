/// \file
/// No limits: nobody published K.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/chadaj2017/loop_case.hpp"
#include "experiments/chadaj2017/parts.hpp"
#include "experiments/chadaj2017/point_samples.hpp"
#include "experiments/registries/needed_entries.hpp"

namespace mbdbench::chadaj2017 {
namespace {

constexpr double kTightTolerance = 1e-13;

}  // namespace

PartResult reference_part(const Registries& registries, std::string_view mechanism) {
  PartResult part;
  // The oracle, and the same oracle in other variables, whose local errors differ: their distance is the uncertainty.
  const Variant dense = {"dense", "dense", ""};
  const Variant dense_momentum = {"dense_momentum", "dense-momentum", ""};
  std::vector<std::vector<Vec3>> points;
  for (const Variant& variant : {dense, dense_momentum}) {
    LoopCase loop(registries, mechanism, variant);
    PointSamples samples(loop.formulation());
    const SimulationResult result = loop.run(needed_integrator(registries, kExperiment, "ode45"), kTightTolerance,
                                             sample_times(kPointStep), samples);
    if (!result.succeeded()) {
      part.records.push_back(
          loop.records("ode45", tolerance_text(kTightTolerance)).failed("point_y", "m", result.message()));
      return part;
    }
    points.push_back(samples.positions());
  }
  const std::string tolerance = tolerance_text(kTightTolerance);
  double uncertainty = 0.0;
  for (std::size_t k = 1; k < points[0].size(); ++k) {
    const RecordMaker maker = records_of(mechanism, dense.label(), "ode45", fmt::format("{};t={}", tolerance, k));
    part.records.push_back(maker.measured("point_x", "m", points[0][k].x()));
    part.records.push_back(maker.measured("point_y", "m", points[0][k].y()));
    uncertainty = std::max(uncertainty, (points[0][k] - points[1][k]).norm());
  }
  const RecordMaker maker = records_of(mechanism, dense.label(), "ode45", tolerance);
  part.records.push_back(maker.measured("point_uncertainty", "m", uncertainty, "largest distance from dense-momentum"));
  return part;
}

}  // namespace mbdbench::chadaj2017
