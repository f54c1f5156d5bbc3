#include "experiments/studies/runner/study_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "experiments/studies/runner/cells/study_cell.hpp"
#include "experiments/studies/runner/observation/pose_samples.hpp"

namespace mbdbench::studies {
namespace {

constexpr int kFrames = 60;
// In more time as few positions show no motion.
constexpr double kLongest = 10.0;  // s

bool finished(const CellResult& result) {
  return std::any_of(result.begin(), result.end(), [](const auto& entry) { return entry.second.usable(); });
}

}  // namespace

std::optional<StudyMotion> study_motion(const Registries& registries, const Study& study, const StudyResults& results,
                                        std::size_t mechanism) {
  if (study.mechanisms[mechanism].integrators.empty()) {
    return std::nullopt;  // Right-hand sides alone: nothing moves.
  }
  const auto found = std::find_if(results.cells.begin(), results.cells.end(), [&](const auto& entry) {
    return entry.first.mechanism == mechanism && finished(entry.second);
  });
  if (found == results.cells.end()) {
    return std::nullopt;
  }
  const CellKey& cell = found->first;
  Study sampled = study;
  StudyMechanism& moved = sampled.mechanisms[mechanism];
  moved.end = std::min(moved.end, kLongest);
  moved.samples = kFrames - 1;
  moved.output = 0.0;
  moved.restart = 0.0;
  const std::vector<double> times = sample_times(moved.end, moved.samples);
  const StudyVariant& variant = study.variants[cell.variant];
  try {
    StudyCase prepared(registries, moved, variant);
    PoseSampler poses(prepared.formulation(), times);
    if (!prepared.run(sampled, cell, poses).succeeded()) {
      return std::nullopt;
    }
    StudyMotion motion{.times = times,
                       .q = {},
                       .run = fmt::format("{}, {}", variant.formulation(), study.integrators[cell.integrator]->key)};
    motion.q.reserve(poses.poses().size());
    for (const Poses& sample : poses.poses()) {
      motion.q.push_back(sample.q);
    }
    return motion;
  } catch (const std::exception&) {
    return std::nullopt;  // A picture less, and its run has a record all the same.
  }
}

}  // namespace mbdbench::studies
