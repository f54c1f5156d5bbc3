#include "experiments/studies/study_times.hpp"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "experiments/simulation.hpp"
#include "experiments/studies/study_cell.hpp"
#include "experiments/timed_turns.hpp"

namespace mbdbench::studies {
namespace {

constexpr int kBatches = 9;
constexpr double kBatchTime = 2e-3;  // s, a thousand times the clock's resolution

Measured measured_time(const Timing& timing) {
  Measured measured = Measured::number(timing.seconds);
  measured.note = timing.words();
  if (timing.disturbed()) {
    measured.state = CellState::disturbed;
  }
  return measured;
}

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
      NullSink sink;
      const Stopwatch stopwatch;
      cases[i]->run(study, cells[i], sink);
      results[i].add(stopwatch.elapsed());
    }
  }
  return results;
}

std::vector<Measured> time_right_hand_sides(const Registries& registries, const Study& study, std::size_t mechanism) {
  std::vector<std::unique_ptr<StudyCase>> cases;
  std::vector<Measured> results;
  std::vector<TimedCall> calls;
  for (const StudyVariant& variant : study.variants) {
    cases.push_back(std::make_unique<StudyCase>(registries, study.mechanisms[mechanism], variant));
    results.push_back(cases.back()->obstacle());
    calls.push_back(results.back().usable() ? right_hand_side_call(cases.back()->formulation(), 0.0, cases.back()->x0())
                                            : TimedCall([] { return false; }));
  }
  const std::vector<RepeatedTimes> times = time_in_turns(calls, kBatches, kBatchTime);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].usable()) {
      results[i] = times[i].count() > 0 ? measured_time(times[i].fastest())
                                        : Measured::failed("the right-hand side at the start fails");
    }
  }
  return results;
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
  return std::all_of(options.values().begin(), options.values().end(), [](const auto& option) {
    return (option.first != "threads" && option.first != "ranks") || text_of(option.second) == "1";
  });
}

}  // namespace mbdbench::studies
