#include "experiments/studies/verdicts/study_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "experiments/engines/engine_permission.hpp"
#include "experiments/records/record_maker.hpp"
#include "experiments/records/trend.hpp"
#include "experiments/studies/declaration/observer_unit.hpp"
#include "experiments/studies/runner/study_times.hpp"
#include "experiments/studies/verdicts/ranking.hpp"
#include "experiments/studies/verdicts/study_inputs.hpp"
#include "mechanisms/io/file_format.hpp"

namespace mbdbench::studies {
namespace {

using Json = nlohmann::ordered_json;

class RecordWriter {
 public:
  RecordWriter(const Study& study, const StudyResults& results) : study_(study), results_(results) {}

  RecordSet write() {
    add_uncertainties();
    add_machine();
    for (const CellKey& cell : study_.cells()) {
      add_cell(cell);
    }
    for (const Ranking& ranking : study_.rankings) {
      add_ranking(ranking);
    }
    judge_trends(part_.records);
    judge_trends_of_times();
    return std::move(part_);
  }

 private:
  /// Within one machine.
  void judge_trends_of_times() {
    std::map<std::string, std::vector<std::size_t>> places;
    for (std::size_t k = 0; k < part_.timings.size(); ++k) {
      places[results_.several_machines() ? machine_of(part_.timings[k]) : ""].push_back(k);
    }
    for (const auto& [machine, own] : places) {
      std::vector<Record> records;
      for (const std::size_t place : own) {
        records.push_back(part_.timings[place]);
      }
      judge_trends(records);
      for (std::size_t k = 0; k < own.size(); ++k) {
        part_.timings[own[k]] = std::move(records[k]);
      }
    }
  }

  [[nodiscard]] std::string machine_of(const Record& record) const {
    for (const StudyMechanism& mechanism : study_.mechanisms) {
      const auto found = results_.machines.find(mechanism.label);
      if (mechanism.word == record.mechanism && found != results_.machines.end()) {
        return found->second;
      }
    }
    return "";
  }

  [[nodiscard]] std::string parameters(const CellKey& cell) const {
    return fmt::format("{};{}", study_.controls[cell.control].text(), study_.mechanisms[cell.mechanism].parameters());
  }

  [[nodiscard]] RecordMaker maker(const CellKey& cell, std::string parameter_text) const {
    return RecordMaker({.experiment = study_.name,
                        .mechanism = study_.mechanisms[cell.mechanism].word,
                        .formulation = study_.variants[cell.variant].formulation(),
                        .integrator = std::string(study_.integrators[cell.integrator]->key),
                        .parameters = std::move(parameter_text)});
  }

  static Record record_of(const RecordMaker& maker, const std::string& quantity, std::string_view unit,
                          const Measured& measured) {
    Record record = maker.measured(quantity, std::string(unit), measured.value, measured.note);
    const bool untimed = measured.state == CellState::disturbed && measured.value == 0.0;
    if (measured.state == CellState::refused || measured.state == CellState::failed || untimed) {
      record.value.reset();
    }
    constexpr std::array kVerdicts = {Verdict::no_published_value, Verdict::refused, Verdict::failed,
                                      Verdict::not_measured};
    record.verdict = kVerdicts[static_cast<std::size_t>(measured.state)];
    return record;
  }

  static Verdict verdict_on(double value, const Expectation& expected) {
    switch (expected.limit.kind) {
      case LimitKind::trend:
        return Verdict::trend_only;  // until judge_trends
      case LimitKind::fitted:
        return Verdict::fitted;
      case LimitKind::below:
        return judge_error(value, expected.value);
      default:
        return judge(value, expected.value, expected.limit.relative);
    }
  }

  void compare(Record& record, const CellKey& cell, const Observer& observer) const {
    const auto found = std::find_if(study_.expectations.begin(), study_.expectations.end(),
                                    [&](const Expectation& e) { return e.cell == cell && e.observer == observer; });
    if (found == study_.expectations.end()) {
      return;
    }
    set_comparison(record, found->value, {found->source, found->published}, found->limit);
    if (record.value && record.verdict == Verdict::no_published_value) {
      record.verdict = verdict_on(*record.value, *found);
      record.note = found->reason;
    }
  }

  void add_cell(const CellKey& cell) {
    for (const Observer& observer : study_.observers) {
      if (observer.of_right_hand_side()) {
        if (study_.times_right_hand_sides(cell.mechanism)) {
          add_right_hand_side(cell, observer);
        }
        continue;
      }
      if (study_.mechanisms[cell.mechanism].integrators.empty() ||
          !study_.mechanisms[cell.mechanism].is_observed(observer)) {
        continue;
      }
      Record record =
          record_of(maker(cell, parameters(cell)), observer.record_name(),
                    unit_on(*study_.mechanisms[cell.mechanism].mechanism, observer), results_.of(cell, observer));
      compare(record, cell, observer);
      (observer.timed() ? part_.timings : part_.records).push_back(std::move(record));
    }
    add_repetitions(cell);
  }

  /// Once a mechanism and variant.
  void add_right_hand_side(const CellKey& cell, const Observer& observer) {
    if (written_.emplace(CellKey{cell.mechanism, cell.variant, 0, 0}, observer).second) {
      const RecordMaker once({.experiment = study_.name,
                              .mechanism = study_.mechanisms[cell.mechanism].word,
                              .formulation = study_.variants[cell.variant].formulation(),
                              .integrator = {},
                              .parameters = {}});
      (observer.timed() ? part_.timings : part_.records)
          .push_back(record_of(once, observer.record_name(), observer.unit(), results_.of(cell, observer)));
    }
  }

  void add_repetitions(const CellKey& cell) {
    const auto times = results_.times.find(cell);
    if (times == results_.times.end()) {
      return;
    }
    std::size_t k = 0;
    for (const TimedRepetition& repetition : times->second.repetitions()) {
      part_.timings.push_back(
          maker(cell, fmt::format("{};repetition={}", parameters(cell), ++k))
              .timed("wall_time", {.seconds = repetition.wall, .processor_share = repetition.share()}));
    }
  }

  void add_uncertainties() {
    for (std::size_t m = 0; m < results_.position_uncertainty.size(); ++m) {
      const auto same = [&](const StudyMechanism& other) {
        return other.word == study_.mechanisms[m].word && other.parameters() == study_.mechanisms[m].parameters();
      };
      const auto first = std::find_if(study_.mechanisms.begin(), study_.mechanisms.end(), same);
      if (study_.mechanisms[m].integrators.empty() || !study_.needs_reference(study_.mechanisms[m]) ||
          &*first != &study_.mechanisms[m]) {
        continue;  // nothing is run, or it stands there already
      }
      const RecordMaker reference({.experiment = study_.name,
                                   .mechanism = study_.mechanisms[m].word,
                                   .formulation = {},
                                   .integrator = {},
                                   .parameters = study_.mechanisms[m].parameters()});
      const auto add = [&](const char* quantity, const char* unit, const Measured& uncertainty) {
        part_.records.push_back(record_of(reference, quantity, unit, uncertainty));
      };
      add("reference_uncertainty", "m", results_.position_uncertainty[m]);
      add("reference_orientation_uncertainty", "rad", results_.orientation_uncertainty[m]);
    }
  }

  void add_machine() {
    if (results_.machine) {
      const RecordMaker machine(
          {.experiment = study_.name, .mechanism = {}, .formulation = {}, .integrator = {}, .parameters = {}});
      part_.timings.push_back(machine.measured("machine_operations", "1/s", results_.machine->operations));
      part_.timings.push_back(machine.measured("machine_bandwidth", "B/s", results_.machine->bandwidth));
      if (std::isfinite(results_.machine->latency)) {
        part_.timings.push_back(machine.measured("machine_latency", "s", results_.machine->latency));
      }
    }
  }

  void add_ranking(const Ranking& ranking) {
    for (const RankedWork& row : rank_at_equal_error(study_, results_, ranking)) {
      const CellKey cell{row.mechanism, row.variant, row.integrator, 0};
      const std::string parameter_text = fmt::format("{}={};{}", ranking.error.record_name(), ranking.at,
                                                     study_.mechanisms[row.mechanism].parameters());
      Measured amount = row.amount;
      // The runs behind it have failed already, each once.
      amount.state = amount.state == CellState::failed ? CellState::refused : amount.state;
      Record record = record_of(maker(cell, parameter_text), row.work.record_name() + "_at_equal_error",
                                row.work.entry().unit, amount);
      record.note = row.place > 0 ? fmt::format("place {}", row.place) : record.note;
      (row.work.timed() ? part_.timings : part_.records).push_back(std::move(record));
    }
  }

  const Study& study_;
  const StudyResults& results_;
  RecordSet part_;
  std::set<std::pair<CellKey, Observer>> written_;
};

/// \returns whether a curve of it is drawn with its sign, on a linear axis.
bool is_signed(const Observer& observer) {
  return observer.quantity >= Quantity::coordinate && observer.quantity <= Quantity::state;
}

nlohmann::ordered_json observer_json(const Study& study, const Observer& observer) {
  return {{"name", observer.name()},           {"quantity", observer.record_name()},
          {"title", study.title_of(observer)}, {"unit", unit_in(study, observer)},
          {"meaning", observer.entry().help},  {"timed", observer.timed()},
          {"signed", is_signed(observer)},     {"of_right_hand_side", observer.of_right_hand_side()}};
}

/// \returns the controls of the integrators that have fewer, by their keys.
nlohmann::ordered_json own_controls(const Study& study, const StudyMechanism& mechanism) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [integrator, controls] : mechanism.own_controls) {
    json[std::string(study.integrators[integrator]->key)] = controls;
  }
  return json;
}

std::vector<std::string> record_names(const std::vector<Observer>& observers) {
  std::vector<std::string> names;
  names.reserve(observers.size());
  for (const Observer& observer : observers) {
    names.push_back(observer.record_name());
  }
  return names;
}

/// \returns whose curves each file of trajectories holds, in the words of records: labels may change.
nlohmann::ordered_json curve_files(const Study& study) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const CellKey& cell : study.cells()) {
    if (!study.mechanisms[cell.mechanism].integrators.empty() && !study.curves(cell).empty()) {
      json.push_back({{"file", study.curve_file(cell).generic_string()},
                      {"mechanism", study.mechanisms[cell.mechanism].word},
                      {"formulation", study.variants[cell.variant].formulation()},
                      {"integrator", study.integrators[cell.integrator]->key},
                      {"parameters", fmt::format("{};{}", study.controls[cell.control].text(),
                                                 study.mechanisms[cell.mechanism].parameters())}});
    }
  }
  return json;
}

}  // namespace

RecordSet study_records(const Study& study, const StudyResults& results) {
  return RecordWriter(study, results).write();
}

nlohmann::ordered_json study_json(const Study& study, const std::vector<StudyEngine>& engines) {
  Json json = {{"format", kResultFormat}, {"name", study.name}, {"title", study.title}, {"quick", study.inputs.quick}};
  json["inputs"] = inputs_json(study, engines);
  for (const StudyMechanism& mechanism : study.mechanisms) {
    json["mechanisms"].push_back({{"label", mechanism.label},
                                  {"mechanism", mechanism.word},
                                  {"digest", mechanism_digest(*mechanism.mechanism)},
                                  {"file", mechanism_file(mechanism).generic_string()},
                                  {"timed", mechanism.timed},
                                  {"drawing", Study::drawing_file(mechanism).generic_string()},
                                  {"end", mechanism.end},
                                  {"parameters", mechanism.parameters()},
                                  {"variants", mechanism.variants},
                                  {"integrators", mechanism.integrators},
                                  {"controls", mechanism.controls},
                                  {"own_controls", own_controls(study, mechanism)},
                                  {"bodies", mechanism.mechanism->body_count()},
                                  {"cut_joints", mechanism.mechanism->cut_joints().size()},
                                  {"coordinates", mechanism.mechanism->u_size()},
                                  {"constraints", mechanism.mechanism->constraint_size()}});
  }
  for (const StudyVariant& variant : study.variants) {
    json["variants"].push_back(
        {{"label", variant.label},
         {"formulation", variant.formulation()},
         {"engine", engine_command(*variant.entry, variant.options).empty() ? "" : variant.entry->key},
         {"evaluations_before", variant.evaluations_before},
         {"state", to_string(variant.entry->rate_kind)},
         {"sequential", is_sequential(variant)}});
  }
  json["integrators"] = Json::array();
  json["controls"] = Json::array();
  for (const OdeEntry* const integrator : study.integrators) {
    json["integrators"].push_back({{"key", integrator->key}, {"adaptive", integrator->adaptive}});
  }
  for (const Control& control : study.controls) {
    json["controls"].push_back({{"kind", to_string(control.kind)}, {"value", control.value}});
  }
  for (const Observer& observer : study.observers) {
    json["observers"].push_back(observer_json(study, observer));
  }
  json["curves"] = Json::array();
  for (const Observer& curve : study.all_curves()) {
    json["curves"].push_back(observer_json(study, curve));
  }
  json["rankings"] = Json::array();
  for (const Ranking& ranking : study.rankings) {
    json["rankings"].push_back(
        {{"error", ranking.error.record_name()}, {"at", ranking.at}, {"work", record_names(ranking.work)}});
  }
  json["figures"] = Json::array();
  for (const CurveFigure& figure : study.figures) {
    Json files = Json::array();
    for (const std::size_t m : figure.against == Against::time ? figure.mechanisms : std::vector<std::size_t>{}) {
      Json of_mechanism = Json::array();
      for (const CellKey& cell : study.curve_cells(figure, m)) {
        of_mechanism.push_back(study.curve_file(cell).stem().string());
      }
      files.push_back(of_mechanism);
    }
    Json families = Json::array();
    for (const Family& family : figure.families) {
      families.push_back({{"label", family.label}, {"integrators", family.integrators}});
    }
    json["figures"].push_back({{"name", figure.name},
                               {"title", figure.title},
                               {"curves", record_names(figure.curves)},
                               {"mechanisms", figure.mechanisms},
                               {"variants", figure.variants},
                               {"integrator", figure.integrator},
                               {"control", figure.control},
                               {"lowest", figure.lowest},
                               {"every", figure.every},
                               {"against_control", figure.against == Against::control},
                               {"abscissa", figure.abscissa ? figure.abscissa->record_name() : ""},
                               {"families", families},
                               {"files", files}});
  }
  json["tables"] = Json::array();
  for (const NumberTable& table : study.tables) {
    json["tables"].push_back({{"name", table.name},
                              {"title", table.title},
                              {"caption", table.caption},
                              {"observers", record_names(table.observers)},
                              {"mechanisms", table.mechanisms},
                              {"variants", table.variants}});
  }
  json["curve_files"] = curve_files(study);
  json["references"] = Json::array();
  for (const ReferenceRun& run : study.references) {
    json["references"].push_back(fmt::format("{} with {}", run.formulation, run.integrator));
  }
  json["settings"] = {{"max_evaluations", study.max_evaluations},
                      {"baseline", study.baseline ? study.variants[*study.baseline].formulation() : ""},
                      {"windows", study.windows},
                      {"repetitions", study.repetitions},
                      {"samples", study.samples},
                      {"jacobian", to_string(study.jacobian)},
                      {"tolerances", "absolute = relative, all components"}};
  return json;
}

void add_results(nlohmann::ordered_json& study_json, const StudyResults& results) {
  if (results.missing.parts > 0) {
    study_json["missing_parts"] = results.missing.parts;
  }
  if (results.several_machines()) {
    for (nlohmann::ordered_json& mechanism : study_json["mechanisms"]) {
      const auto machine = results.machines.find(mechanism["label"].get<std::string>());
      mechanism["machine"] = machine == results.machines.end() ? "" : machine->second;
    }
  }
}

}  // namespace mbdbench::studies
