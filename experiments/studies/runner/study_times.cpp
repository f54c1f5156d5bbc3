#include "experiments/studies/runner/study_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "experiments/simulation/simulation.hpp"
#include "experiments/studies/runner/cells/study_cell.hpp"
#include "experiments/studies/runner/observation/right_hand_sides.hpp"
#include "formulations/execution/thread_team.hpp"

namespace mbdbench::studies {
namespace {

// Longer runs average over what else the machine does, s: a few of them are timed once.
constexpr double kLongRun = 0.2;
constexpr int kFewRepetitions = 3;

}  // namespace

std::vector<RepeatedTimes> time_runs(const Registries& registries, const Study& study,
                                     const std::vector<CellKey>& cells) {
  std::vector<std::unique_ptr<StudyCase>> cases;
  cases.reserve(cells.size());
  for (const CellKey& cell : cells) {
    cases.push_back(
        std::make_unique<StudyCase>(registries, study.mechanisms[cell.mechanism], study.variants[cell.variant]));
  }
  std::vector<RepeatedTimes> results(cells.size());
  for (int repetition = 0; repetition < study.repetitions; ++repetition) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (repetition > 0 && timed_once(study, results[i])) {
        continue;
      }
      NullSink sink;
      ThreadTeam::rest();  // those of the run before would count as processor time of this one
      const Stopwatch stopwatch;
      cases[i]->run(study, cells[i], sink);
      results[i].add(stopwatch.elapsed());
    }
  }
  return results;
}

bool timed_once(const Study& study, const RepeatedTimes& times) {
  return study.repetitions <= kFewRepetitions && times.fastest().seconds > kLongRun;
}

Measured measured_time(const Timing& timing) {
  Measured measured = Measured::number(timing.seconds);
  measured.note = timing.words();
  if (timing.disturbed()) {
    measured.state = CellState::disturbed;
  }
  return measured;
}

Measured wall_time(const RepeatedTimes& times) {
  return times.count() > 0 ? measured_time(times.fastest()) : Measured::refused("not timed");
}

nlohmann::json to_json(const RepeatedTimes& times) {
  nlohmann::json json = nlohmann::json::array();
  for (const TimedRepetition& repetition : times.repetitions()) {
    json.push_back({{"wall", repetition.wall}, {"processor", repetition.processor}});
  }
  return json;
}

RepeatedTimes times_from_json(const nlohmann::json& json) {
  RepeatedTimes times;
  for (const nlohmann::json& repetition : json) {
    times.add({repetition.at("wall").get<double>(), repetition.at("processor").get<double>()});
  }
  return times;
}

int processes_of(const StudyVariant& variant) {
  const auto& known = variant.entry->options;
  const bool can =
      std::any_of(known.begin(), known.end(), [](const auto& option) { return option.name == "processes"; });
  const auto by_option =
      can ? parse_parameters(known, variant.options, variant.entry->key).integer("processes") : std::int64_t{1};
  return std::max(variant.processes, static_cast<int>(by_option));
}

Measured without_processes(const StudyVariant& variant) {
  return {CellState::disturbed, 0.0, fmt::format("start it with mpirun -n {}", processes_of(variant))};
}

bool is_sequential(const StudyVariant& variant) {
  return processes_of(variant) == 1 && variant.threads == 1;
}

}  // namespace mbdbench::studies
