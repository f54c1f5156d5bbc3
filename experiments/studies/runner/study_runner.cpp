#include "experiments/studies/runner/study_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "experiments/engines/engine_permission.hpp"
#include "experiments/files/text_digest.hpp"
#include "experiments/records/provenance/program_digest.hpp"
#include "experiments/records/timing/part_durations.hpp"
#include "experiments/studies/runner/cells/study_cell.hpp"
#include "experiments/studies/runner/cells/study_memory.hpp"
#include "experiments/studies/runner/cells/study_weights.hpp"
#include "experiments/studies/runner/compared_runs.hpp"
#include "experiments/studies/runner/observation/right_hand_sides.hpp"
#include "experiments/studies/runner/parts/part_runner.hpp"
#include "experiments/studies/runner/parts/process_team.hpp"
#include "experiments/studies/runner/study_reference.hpp"
#include "experiments/studies/runner/study_times.hpp"
#include "mechanisms/io/mechanism_writer.hpp"

namespace mbdbench::studies {
namespace {

constexpr const char* kMachinePart = "limits of the machine";
constexpr const char* kNotComputed = "no share has computed it yet";

class StudyRun {
 public:
  StudyRun(const Registries& registries, const Study& study, const RunnerOptions& options)
      : registries_(registries),
        study_(study),
        options_(options),
        references_(study.mechanisms.size()),
        team_(registries, study, options.start == nullptr ? nullptr : &options.start->processes()) {
    divide();
    std::string program = program_digest();
    for (const ReferenceRun& reference : study.references) {
      program += "|" + reference.formulation + " " + reference.integrator;
    }
    for (const StudyMechanism& mechanism : study.mechanisms) {
      motion_digests_.push_back(text_digest(fmt::format("{}|{}|end={}|samples={}", program,
                                                        write_mechanism(mechanism.mechanism->description()),
                                                        mechanism.end, mechanism.samples) +
                                            (mechanism.reference ? mechanism.reference->digest : "")));
      mechanism_digests_.push_back(text_digest(motion_digests_.back() + mechanism.parameters()));
    }
  }

  std::optional<StudyResults> run() {
    const std::vector<StudyPart> references = reference_parts();
    const std::vector<StudyPart> cells = cell_parts();
    std::vector<DeclaredPart> declared = declared_timing_parts();
    std::string keys;
    for (const std::vector<StudyPart>* const parts : {&references, &cells}) {
      for (const StudyPart& part : *parts) {
        declared.push_back({part.name, part.weight});
        keys += part.key;
      }
    }
    PartRunner runner(study_.name, options_, declared, keys,
                      own_origin(registries_.formulations.execution.instruction_set));
    const bool finished =
        runner.run(references) && runner.run(cells) && runner.run_alone([&] { return timing_parts(runner); }, team_);
    if (!runner.end() || !finished) {
      return std::nullopt;
    }
    if (options_.share) {
      return std::move(results_);
    }
    add_missing(runner);
    add_uncertainties();
    add_times();
    compare_runs(study_, results_);
    return std::move(results_);
  }

 private:
  /// Which runs and times are this process's: all, or those of its share.
  void divide() {
    const std::vector<CellKey> all = study_.cells();
    if (options_.merges) {
      int shares = 1;
      for (const auto& [file, share] : share_files(options_.output)) {
        shares = std::max(shares, share.count);
      }
      division_.emplace(study_, shares);
      results_.missing.shares = shares;
    }
    if (options_.share) {
      division_.emplace(study_, options_.share->count);
    }
    std::copy_if(all.begin(), all.end(), std::back_inserter(own_cells_), [&](const CellKey& cell) {
      return !options_.share || division_->share_of(cell) == options_.share->number;
    });
  }

  /// \returns whether runs or right-hand sides of this mechanism are this process's.
  [[nodiscard]] bool has_mechanism(std::size_t mechanism) const {
    return std::any_of(own_cells_.begin(), own_cells_.end(),
                       [&](const CellKey& cell) { return cell.mechanism == mechanism; });
  }

  [[nodiscard]] bool times_right_hand_sides(std::size_t mechanism) const {
    return study_.times_right_hand_sides(mechanism) && has_mechanism(mechanism);
  }

  /// The groups of runs that are timed in turns. \param take is called with mechanism, integrator and control
  template <typename Take>
  void for_each_timing(const Take& take) const {
    for (std::size_t m = 0; m < study_.mechanisms.size(); ++m) {
      if (!study_.needs_times() || !study_.mechanisms[m].timed || !has_mechanism(m)) {
        continue;
      }
      for (const std::size_t i : study_.mechanisms[m].integrators) {
        for (const std::size_t c : study_.mechanisms[m].controls) {
          if (study_.mechanisms[m].has(i, c) && study_.runs(i, c)) {
            take(m, i, c);
          }
        }
      }
    }
  }

  /// What `timing_parts` will have, as far as it is known before the runs: all of them, as if none failed.
  std::vector<DeclaredPart> declared_timing_parts() const {
    std::vector<DeclaredPart> parts;
    if (study_.observes_right_hand_sides()) {
      parts.push_back({kMachinePart, 1});
    }
    for (std::size_t m = 0; m < study_.mechanisms.size(); ++m) {
      if (times_right_hand_sides(m)) {
        parts.push_back({right_hand_sides_name(m), right_hand_side_weight(study_, m)});
      }
    }
    for_each_timing([&](std::size_t m, std::size_t i, std::size_t c) {
      parts.push_back(
          {timing_name(m, i, c), timing_weight(study_, {m, 0, i, c}, study_.mechanisms[m].variants.size())});
    });
    return parts;
  }

  std::string right_hand_sides_name(std::size_t mechanism) const {
    return fmt::format("{}: right-hand sides", study_.mechanisms[mechanism].label);
  }

  std::string timing_name(std::size_t mechanism, std::size_t integrator, std::size_t control) const {
    return fmt::format("{}: times of {} {}", study_.mechanisms[mechanism].label, study_.integrators[integrator]->key,
                       study_.controls[control].text());
  }

  std::vector<StudyPart> reference_parts() {
    std::vector<StudyPart> parts;
    if (!study_.needs_reference()) {
      return parts;
    }
    for (std::size_t m = 0; m < study_.mechanisms.size(); ++m) {
      const StudyMechanism& mechanism = study_.mechanisms[m];
      if (mechanism.integrators.empty() || !study_.needs_reference(mechanism)) {
        references_[m].failure = "nothing is compared";
        continue;
      }
      references_[m].failure = kNotComputed;
      if (!has_mechanism(m)) {
        continue;
      }
      // The same motion under another label or error control has the same one.
      const std::string key = text_digest(fmt::format("{}|reference", motion_digests_[m]));
      std::vector<std::size_t>& users = reference_users_[key];
      users.push_back(m);
      if (users.size() > 1) {
        continue;
      }
      parts.push_back({key, fmt::format("reference of {}", mechanism.label),
                       static_cast<std::uint64_t>(mechanism.mechanism->body_count()) * 100,
                       [this, &mechanism] { return to_json(make_reference(registries_, mechanism, study_)); },
                       [this, key](const nlohmann::json& json) {
                         for (const std::size_t user : reference_users_.at(key)) {
                           references_[user] = reference_from_json(json);
                         }
                       }});
    }
    return parts;
  }

  /// \returns what tells an engine from one of the same name: its command and its version; empty for our formulations.
  [[nodiscard]] std::string engine_of(const StudyVariant& variant) const {
    const std::string command = engine_command(*variant.entry, variant.options);
    const auto found = std::find_if(options_.engines.begin(), options_.engines.end(),
                                    [&](const StudyEngine& engine) { return engine.command == command; });
    return command.empty() || found == options_.engines.end()
               ? command
               : fmt::format("{}|{}{}", command, found->version, found->failure);
  }

  [[nodiscard]] std::string observer_names(const StudyMechanism& mechanism) const {
    std::string names;
    for (const Observer& observer : study_.observers) {
      names += observer.of_one_run() && mechanism.is_observed(observer) ? observer.name() + "," : "";
    }
    return names;
  }

  std::vector<StudyPart> cell_parts() {
    std::vector<StudyPart> parts;
    for (const CellKey& cell : own_cells_) {
      const std::string observers = observer_names(study_.mechanisms[cell.mechanism]);
      if (study_.mechanisms[cell.mechanism].integrators.empty()) {
        results_.cells[cell] = {};  // right-hand sides alone
        continue;
      }
      const std::vector<Observer> curves = study_.curves(cell);
      std::string curve_names;
      for (const Observer& curve : curves) {
        curve_names += "|" + curve.name();
      }
      curve_names += curves.empty() || study_.windows == 0 ? "" : fmt::format("|{} windows", study_.windows);
      const std::string run =
          fmt::format("{} {} {}", study_.variants[cell.variant].formulation(), study_.integrators[cell.integrator]->key,
                      study_.controls[cell.control].text());
      const std::string engine = engine_of(study_.variants[cell.variant]);
      const int before = study_.variants[cell.variant].evaluations_before;
      const std::string key = text_digest(fmt::format("{}|run|{}{}|{}|{}|{}{}", mechanism_digests_[cell.mechanism], run,
                                                      engine, before, study_.max_evaluations, observers, curve_names));
      parts.push_back({key, fmt::format("{}: {}", study_.mechanisms[cell.mechanism].label, run),
                       run_weight(study_, cell),
                       [this, cell] {
                         const StudyMechanism& mechanism = study_.mechanisms[cell.mechanism];
                         const StudyReference* const reference =
                             study_.needs_reference(mechanism) ? &references_[cell.mechanism] : nullptr;
                         return to_json(run_cell(registries_, study_, cell, reference, options_.output));
                       },
                       [this, cell](const nlohmann::json& json) { results_.cells[cell] = cell_from_json(json); },
                       curves.empty() ? std::filesystem::path() : options_.output / study_.curve_file(cell)});
    }
    return parts;
  }

  /// \returns the cells of a group that did not fail: only these are timed.
  std::vector<CellKey> finished_cells(std::size_t mechanism, std::size_t integrator, std::size_t control) const {
    std::vector<CellKey> cells;
    for (const std::size_t v : study_.mechanisms[mechanism].variants) {
      const CellKey cell{mechanism, v, integrator, control};
      const CellResult& result = results_.cells.at(cell);
      // Any observer tells: a failed or refused run has no number but how far it came.
      const bool ran = std::any_of(result.begin(), result.end(), [](const auto& entry) {
        return entry.second.usable() && entry.first.quantity != Quantity::time_reached;
      });
      if (ran && is_timed_here(v)) {
        cells.push_back(cell);
      }
    }
    return cells;
  }

  /// Whether there are the processes here that a variant computes on.
  [[nodiscard]] bool is_timed_here(std::size_t variant) const {
    return processes_of(study_.variants[variant]) == 1 || team_.has_processes_of(study_.variants[variant]);
  }

  std::vector<StudyPart> timing_parts(PartRunner& runner) {
    std::vector<StudyPart> parts;
    for (std::size_t m = 0; m < study_.mechanisms.size(); ++m) {
      if (times_right_hand_sides(m)) {
        parts.push_back(right_hand_side_part(m));
      }
    }
    if (!parts.empty()) {
      parts.insert(parts.begin(), machine_part());
    }
    for_each_timing([&](std::size_t m, std::size_t i, std::size_t c) {
      if (all_are_run(m, i, c)) {
        parts.push_back(timing_part(m, i, c));
      } else {
        runner.leave_undecided(timing_name(m, i, c));
      }
    });
    return parts;
  }

  [[nodiscard]] bool all_are_run(std::size_t mechanism, std::size_t integrator, std::size_t control) const {
    const auto& variants = study_.mechanisms[mechanism].variants;
    return std::all_of(variants.begin(), variants.end(), [&](std::size_t variant) {
      return results_.cells.contains({mechanism, variant, integrator, control});
    });
  }

  StudyPart machine_part() {
    return {text_digest(program_digest() + "|machine limits"), kMachinePart, 1,
            [this] {
              const MachineLimits limits = measure_machine_limits(registries_.formulations.execution.instruction_set);
              return nlohmann::json{limits.operations, limits.bandwidth,
                                    std::isfinite(limits.latency) ? limits.latency : -1.0};
            },
            [this](const nlohmann::json& json) {
              const auto latency = json.at(2).get<double>();
              results_.machine = {json.at(0).get<double>(), json.at(1).get<double>(),
                                  latency < 0.0 ? std::numeric_limits<double>::infinity() : latency};
            }};
  }

  StudyPart right_hand_side_part(std::size_t mechanism) {
    std::string asked;
    for (const std::size_t v : study_.mechanisms[mechanism].variants) {
      const StudyVariant& variant = study_.variants[v];
      asked += fmt::format("{}{} on {} threads{},", variant.formulation(), engine_of(variant), variant.threads,
                           is_timed_here(v) ? "" : ", no processes");
    }
    for (const Observer& observer : study_.observers) {
      asked += observer.of_right_hand_side() ? "|" + observer.name() : "";
    }
    return {text_digest(fmt::format("{}|right-hand sides|{}", mechanism_digests_[mechanism], asked)),
            right_hand_sides_name(mechanism),
            right_hand_side_weight(study_, mechanism),
            [this, mechanism] { return right_hand_sides(mechanism); },
            [this, mechanism](const nlohmann::json& json) { adopt_right_hand_sides(mechanism, json); },
            {},
            study_.mechanisms[mechanism].label};
  }

  StudyPart timing_part(std::size_t mechanism, std::size_t integrator, std::size_t control) {
    const std::vector<CellKey> cells = finished_cells(mechanism, integrator, control);
    std::string runs = fmt::format("{} {}", study_.integrators[integrator]->key, study_.controls[control].text());
    for (const CellKey& cell : cells) {
      runs += "|" + study_.variants[cell.variant].formulation() + engine_of(study_.variants[cell.variant]);
    }
    // Runs on processes are compared in these.
    for (const Observer& observer : study_.observers) {
      runs += observer.quantity == Quantity::state ? "|" + observer.name() : "";
    }
    return {text_digest(fmt::format("{}|repeated times|{}|{}|{}", mechanism_digests_[mechanism], runs,
                                    study_.max_evaluations, study_.repetitions)),
            timing_name(mechanism, integrator, control),
            timing_weight(study_, {mechanism, 0, integrator, control}, cells.size()),
            [this, cells] {
              nlohmann::json json = nlohmann::json::array();
              for (const CellTimes& cell : timed_cells(cells)) {
                json.push_back({to_json(cell.times),
                                to_json(CellResult{{{Quantity::process_difference, {}}, cell.process_difference}})});
              }
              return json;
            },
            [this, cells](const nlohmann::json& json) {
              for (std::size_t k = 0; k < cells.size(); ++k) {
                results_.times[cells[k]] = times_from_json(json.at(k).at(0));
                results_.cells[cells[k]].merge(cell_from_json(json.at(k).at(1)));
              }
            },
            {},
            study_.mechanisms[mechanism].label};
  }

  struct CellTimes {
    RepeatedTimes times;
    Measured process_difference = Measured::refused("not on processes");
  };

  /// Those of one process in turns, then those that all processes run together.
  std::vector<CellTimes> timed_cells(const std::vector<CellKey>& cells) {
    std::vector<CellTimes> all(cells.size());
    std::vector<CellKey> alone;
    std::copy_if(cells.begin(), cells.end(), std::back_inserter(alone),
                 [&](const CellKey& cell) { return processes_of(study_.variants[cell.variant]) == 1; });
    const std::vector<RepeatedTimes> times = time_runs(registries_, study_, alone);
    for (std::size_t k = 0, place = 0; k < cells.size(); ++k) {
      if (processes_of(study_.variants[cells[k].variant]) == 1) {
        all[k].times = times[place++];
      } else {
        const TeamRun run = team_.run(cells[k]);
        all[k] = {run.times,
                  run.refusal.empty() ? process_difference(cells[k], run.end) : Measured::refused(run.refusal)};
      }
    }
    return all;
  }

  /// \param end of the run on processes
  Measured process_difference(const CellKey& cell, const std::vector<double>& end) const {
    StudyCase alone(registries_, study_.mechanisms[cell.mechanism], study_.variants[cell.variant]);
    const auto layout = alone.formulation().layout();
    std::optional<double> largest;
    for (const Observer& observer : study_.observers) {
      for (std::size_t k = 0; k < layout.size() && k < end.size(); ++k) {
        const Measured here = results_.of(cell, observer);
        if (observer.quantity == Quantity::state && layout[k].name == observer.subject && here.usable()) {
          largest = std::max(largest.value_or(0.0), std::abs(end[k] - here.value));
        }
      }
    }
    return largest ? Measured::number(*largest) : Measured::refused("no state(COMPONENT) of it is observed");
  }

  nlohmann::json right_hand_sides(std::size_t mechanism) {
    nlohmann::json json = nlohmann::json::array();
    for (const CellResult& result :
         observe_right_hand_sides(registries_, study_, mechanism, *results_.machine, team_)) {
      json.push_back(to_json(result));
    }
    return json;
  }

  void adopt_right_hand_sides(std::size_t mechanism, const nlohmann::json& json) {
    for (auto& [cell, result] : results_.cells) {
      if (cell.mechanism == mechanism) {
        const auto& variants = study_.mechanisms[mechanism].variants;
        const auto place = std::find(variants.begin(), variants.end(), cell.variant) - variants.begin();
        for (const auto& [observer, measured] : cell_from_json(json.at(static_cast<std::size_t>(place)))) {
          result[observer] = measured;
        }
      }
    }
  }

  /// What no share has computed has no number, and the reason.
  void add_missing(const PartRunner& runner) {
    std::set<std::string> machines;
    for (const auto& [comparison, machine] : runner.machines()) {
      if (!comparison.empty()) {
        results_.machines[comparison] = machine;
        machines.insert(machine);
      }
    }
    if (!options_.merges) {
      return;
    }
    // The limits of one machine say nothing of right-hand sides on another.
    if (results_.machine && machines != std::set{runner.machines().at("")}) {
      results_.machine.reset();
    }
    results_.missing.parts = runner.missing().size();
    results_.missing.unused = runner.unused();
    results_.shares = runner.shares();
    for (const CellKey& cell : own_cells_) {
      const auto [entry, missing] = results_.cells.try_emplace(cell);
      if (missing) {
        ++results_.missing.runs_of_shares[division_->share_of(cell)];
      }
      for (const Observer& observer : study_.observers) {
        if (missing || observer.of_right_hand_side()) {
          entry->second.try_emplace(observer, Measured::not_measured(kNotComputed));
        }
      }
    }
  }

  void add_uncertainties() {
    if (!study_.needs_reference()) {
      return;
    }
    for (const StudyReference& reference : references_) {
      const auto uncertainty = [&](double value) {
        Measured measured = reference.failure.empty()           ? Measured::number(value)
                            : reference.failure == kNotComputed ? Measured::not_measured(kNotComputed)
                                                                : Measured::refused(reference.failure);
        if (measured.usable()) {
          measured.note = reference.check;
        }
        return measured;
      };
      results_.position_uncertainty.push_back(uncertainty(reference.uncertainty.position));
      results_.orientation_uncertainty.push_back(uncertainty(reference.uncertainty.orientation));
    }
  }

  /// Why a run has no time: that of its other numbers.
  [[nodiscard]] Measured untimed(const CellKey& cell, const CellResult& result) const {
    const auto number = std::find_if(result.begin(), result.end(), [](const auto& entry) {
      return entry.first.of_one_run() && entry.second.usable();
    });
    if (number == result.end() && !result.empty()) {
      return result.begin()->second;
    }
    return options_.merges && study_.mechanisms[cell.mechanism].timed ? Measured::not_measured(kNotComputed)
                                                                      : Measured::refused("not timed");
  }

  void add_times() {
    if (!study_.needs_times()) {
      return;
    }
    for (auto& [cell, result] : results_.cells) {
      if (study_.mechanisms[cell.mechanism].integrators.empty()) {
        continue;
      }
      const auto times = results_.times.find(cell);
      const Measured time = times != results_.times.end() && times->second.count() > 0 ? wall_time(times->second)
                            : times != results_.times.end() ? result.at({Quantity::process_difference, {}})
                            : is_timed_here(cell.variant) || !study_.mechanisms[cell.mechanism].timed
                                ? untimed(cell, result)
                                : without_processes(study_.variants[cell.variant]);
      if (times == results_.times.end()) {
        result[{Quantity::process_difference, {}}] = time;
      }
      result[{Quantity::wall_time, {}}] = time;
    }
  }

  const Registries& registries_;
  const Study& study_;
  const RunnerOptions& options_;
  std::vector<std::string> motion_digests_;     // of what a reference depends on
  std::vector<std::string> mechanism_digests_;  // of what a run depends on
  std::map<std::string, std::vector<std::size_t>> reference_users_;
  std::vector<StudyReference> references_;
  StudyResults results_;
  ProcessTeam team_;
  std::optional<StudyDivision> division_;  // where the study is computed in shares
  std::vector<CellKey> own_cells_;         // those of this process
};

}  // namespace

std::optional<StudyResults> run_study(const Registries& registries, const Study& study, const RunnerOptions& options) {
  if (!options.merges) {
    require_memory(registries, study, options.jobs);
  }
  std::filesystem::create_directories(options.output / "parts");
  if (!study.figures.empty()) {
    std::filesystem::create_directories(options.output / "trajectories");
  }
  return StudyRun(registries, study, options).run();
}

}  // namespace mbdbench::studies
