#include "experiments/ensembles/ensemble_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "experiments/ensembles/ensemble_statistics.hpp"
#include "experiments/files/formats/json_fields.hpp"
#include "experiments/files/formats/json_file.hpp"
#include "experiments/files/result_removal.hpp"
#include "experiments/files/text_digest.hpp"
#include "experiments/records/provenance/provenance.hpp"
#include "mechanisms/io/file_error.hpp"

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kReasons = 5;
constexpr const char* kInputs = "inputs.json";
constexpr std::array kTables = {"members.csv", "ensemble.csv", "ensemble.json"};

std::string limit_text(const std::optional<double>& limit) {
  return limit ? fmt::format("{}", *limit) : "default";
}

}  // namespace

nlohmann::ordered_json inputs_of(const EnsembleProblem& problem) {
  const SimulateSetup& base = problem.base;
  const SimulateRequest& request = problem.request;
  // Not among the settings: results of two versions may be compared, but not mixed.
  nlohmann::ordered_json json = {{"command", "ensemble"}, {"program", version_text()}};
  json["mechanisms"] = {{{"mechanism", base.mechanism->name()}, {"digest", text_digest(base.mechanism_text)}}};
  json["formulations"] = {fmt::format("{}{}", base.formulation_key,
                                      base.formulation_options.empty() ? "" : "[" + base.formulation_options + "]")};
  nlohmann::ordered_json& settings = json["settings"];
  for (const auto& [name, value] : problem.members.origin()) {
    settings[name] = value;
  }
  settings["--set"] = fmt::format("{}", fmt::join(request.initial_values, " "));
  settings["integrator"] = base.integrator.key;
  settings["options"] = fmt::format("{}", fmt::join(option_texts(base.settings), " "));
  settings["time"] = request.time;
  settings["initial step"] = limit_text(request.initial_step);
  settings["most evaluations"] = request.max_evaluations ? fmt::format("{}", *request.max_evaluations) : "default";
  settings["largest drift"] = limit_text(request.limits.drift);
  settings["largest energy error"] = limit_text(request.limits.energy_error);
  settings["accept"] = request.accept ? "yes" : "no";
  settings["quantities"] = fmt::format("{}", fmt::join(problem.quantities, ","));
  settings["trajectories"] = problem.trajectories ? "yes" : "no";
  if (problem.trajectories) {
    settings["columns"] = fmt::format("{}{}", fmt::join(request.columns, ","), request.reactions ? " reactions" : "");
    settings["reaction point"] = request.reaction_point;
  }
  // Others round differently.
  settings["instruction set"] = problem.instruction_set.name;
  return json;
}

FolderState folder_state(const fs::path& folder, const nlohmann::ordered_json& inputs) {
  const fs::path file = folder / kInputs;
  if (!fs::exists(fs::symlink_status(file))) {
    return FolderState::nothing;
  }
  const nlohmann::ordered_json found = json_in(file);
  if (!found.is_object()) {
    throw FileError(file.string(), 0,
                    "is no JSON object, so that nothing says whose members the folder holds; choose another directory "
                    "with --output, or add --overwrite, which removes what is there");
  }
  if (found == inputs) {
    const bool all = std::all_of(kTables.begin(), kTables.end(),
                                 [&](const char* table) { return fs::is_regular_file(folder / table); });
    return all ? FolderState::complete : FolderState::begun;
  }
  const auto refuse = [&](const std::string& what, const nlohmann::ordered_json& there,
                          const nlohmann::ordered_json& here) {
    const auto text = [](const nlohmann::ordered_json& value) {
      return value.is_null() ? std::string("nothing") : value.is_string() ? value.get<std::string>() : value.dump();
    };
    throw std::invalid_argument(
        fmt::format("{}: holds an ensemble whose {} is '{}', and this command has '{}'; choose another directory with "
                    "--output, or add --overwrite, which removes what is there",
                    folder.string(), what, text(there), text(here)));
  };
  const auto there = [&](const char* part) { return found.value(part, nlohmann::ordered_json()); };
  if (there("mechanisms") != inputs.at("mechanisms")) {
    throw std::invalid_argument(
        fmt::format("{}: holds an ensemble whose mechanism or start differs (see mechanism.toml there); choose another "
                    "directory with --output, or add --overwrite, which removes what is there",
                    folder.string()));
  }
  if (there("formulations") != inputs.at("formulations")) {
    const auto first = [](const nlohmann::ordered_json& list) {
      return list.is_array() && list.size() == 1 ? list.front() : list;
    };
    refuse("formulation", first(there("formulations")), first(inputs.at("formulations")));
  }
  const nlohmann::ordered_json settings = found.value("settings", nlohmann::ordered_json::object());
  for (const auto& [name, value] : inputs.at("settings").items()) {
    const nlohmann::ordered_json before =
        settings.is_object() ? settings.value(name, nlohmann::ordered_json()) : settings;
    if (before != value) {
      refuse(name, before, value);
    }
  }
  if (there("program") != inputs.at("program")) {
    refuse("program", there("program"), inputs.at("program"));
  }
  refuse("origin of members", settings, inputs.at("settings"));
  return FolderState::nothing;
}

void clear_for(const fs::path& folder, FolderState state) {
  if (state == FolderState::complete) {
    return;
  }
  fs::remove(folder / "ensemble.json");
  if (state == FolderState::nothing) {
    fs::remove(folder / "members.csv");
    fs::remove(folder / "ensemble.csv");
    remove_results(folder, "parts");
    remove_results(folder, "trajectories");
  }
}

EnsembleOutcome write_outcome(const fs::path& folder, const EnsembleProblem& problem, const KeptMembers& kept) {
  EnsembleOutcome outcome;
  double largest_imbalance = 0.0;
  double position_residual = 0.0;
  double velocity_residual = 0.0;
  for (std::size_t member = 0; member < kept.size(); ++member) {
    const MemberRecord record = kept.read(member);
    ++outcome.statuses[record.status];
    outcome.evaluations += record.evaluations;
    if (record.status != "ok" && outcome.reasons.size() < kReasons) {
      outcome.reasons.push_back(fmt::format("member {}: {}: {}", member + 1, record.status, record.message));
    }
    if (record.status == "ok" || (record.reached_end() && problem.request.accept)) {
      outcome.counted.push_back(member);
      largest_imbalance = std::max(largest_imbalance, std::abs(record.largest_imbalance));
      position_residual = std::max(position_residual, record.position_residual);
      velocity_residual = std::max(velocity_residual, record.velocity_residual);
    }
  }
  const std::vector<double>& times = problem.base.times;
  write_members(folder / "members.csv", kept, problem.members.columns(), times.size(), problem.quantities);
  write_statistics(folder / "ensemble.csv", kept, outcome.counted, times, problem.quantities);

  const SimulateSetup& base = problem.base;
  nlohmann::ordered_json json;
  json["mechanism"] = base.mechanism->name();
  json["formulation"] = base.formulation_key;
  json["formulation_options"] = base.formulation_options;
  json["integrator"] = base.integrator.key;
  json["options"] = option_texts(base.settings);
  json["members"] = kept.size();
  for (const auto& [name, value] : problem.members.origin()) {
    if (name != "members") {
      json[name] = value;
    }
  }
  json["in_lanes"] = problem.in_lanes ? base.formulation->batch_lanes() : 1;
  json["t_start"] = times.front();
  json["t_end"] = times.back();
  json["samples"] = times.size();
  json["quantities"] = problem.quantities;
  json["statuses"] = outcome.statuses;
  json["members_counted"] = outcome.counted.size();
  json["reasons"] = outcome.reasons;
  json["evaluations"] = outcome.evaluations;
  json["energy"] = {{"largest_imbalance", largest_imbalance}};
  json["constraints"] = {{"largest_position_residual", position_residual},
                         {"largest_velocity_residual", velocity_residual}};
  write_json(folder / "ensemble.json", json);
  return outcome;
}

EnsembleOutcome read_outcome(const fs::path& folder) {
  const fs::path file = folder / "ensemble.json";
  const nlohmann::json json = json_in(file);
  if (!json.is_object()) {
    throw FileError(file.string(), 0, "is no JSON object; remove it, and the same command writes it anew");
  }
  const JsonFields fields(json, file);
  EnsembleOutcome outcome;
  const JsonFields statuses = fields.fields("statuses");
  for (const std::string& status : statuses.keys()) {
    outcome.statuses[status] = static_cast<std::size_t>(statuses.integer(status));
  }
  outcome.counted.resize(static_cast<std::size_t>(fields.integer("members_counted")));
  outcome.reasons = fields.texts("reasons");
  outcome.evaluations = fields.number("evaluations");
  return outcome;
}

}  // namespace mbdbench
