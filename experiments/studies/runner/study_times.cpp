#include "experiments/studies/runner/study_times.hpp"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "experiments/simulation/simulation.hpp"
#include "experiments/studies/runner/right_hand_sides.hpp"
#include "experiments/studies/runner/study_cell.hpp"

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
      if (repetition > 0 && study.repetitions <= kFewRepetitions && results[i].fastest().seconds > kLongRun) {
        continue;
      }
      NullSink sink;
      const Stopwatch stopwatch;
      cases[i]->run(study, cells[i], sink);
      results[i].add(stopwatch.elapsed());
    }
  }
  return results;
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

bool is_sequential(const StudyVariant& variant) {
  const Parameters options = parse_parameters(variant.entry->options, variant.options, variant.entry->key);
  const bool one_rank = std::all_of(options.values().begin(), options.values().end(), [](const auto& option) {
    return option.first != "ranks" || text_of(option.second) == "1";
  });
  return one_rank && threads_of(variant) == 1;
}

}  // namespace mbdbench::studies
