#include "experiments/command_line/claimed_folder.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "experiments/engines/engine_permission.hpp"
#include "experiments/files/formats/csv_file.hpp"
#include "experiments/files/formats/json_file.hpp"
#include "experiments/files/text_digest.hpp"
#include "experiments/records/provenance/provenance.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/studies/verdicts/study_inputs.hpp"
#include "experiments/terminal/message.hpp"

namespace mbdbench {
namespace {

nlohmann::ordered_json json_of(const FolderOwner& owner, const GivenInputs& inputs) {
  nlohmann::ordered_json json = {{"command", owner.command}, {"mechanisms", nlohmann::ordered_json::array()}};
  for (const Mechanism* const mechanism : inputs.mechanisms) {
    json["mechanisms"].push_back({{"mechanism", mechanism->name()},
                                  {"digest", studies::mechanism_digest(*mechanism)},
                                  {"file", studies::mechanism_file(mechanism->name(), *mechanism).generic_string()}});
  }
  json["formulations"] = inputs.formulations;
  json["settings"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : inputs.settings) {
    json["settings"][name] = value;
  }
  if (!inputs.state.empty()) {
    json["settings"]["state"] = text_digest(inputs.state);
  }
  return json;
}

void write_files(const std::filesystem::path& folder, const GivenInputs& inputs) {
  for (const Mechanism* const mechanism : inputs.mechanisms) {
    studies::write_mechanism_file(mechanism->name(), *mechanism, folder);
  }
  if (!inputs.state.empty()) {
    std::filesystem::create_directories(folder / "inputs");
    replace_file(folder / "inputs" / "state.json", inputs.state);
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> engine_settings(std::span<const FormulationEntry> registry,
                                                                 const std::vector<std::string>& formulations) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const std::string& word : formulations) {
    const FormulationChoice choice = choose_formulation(registry, word);
    if (const std::string command = engine_command(*choice.entry, choice.options); !command.empty()) {
      settings.emplace_back(fmt::format("engine {}", word), command);
    }
  }
  return settings;
}

std::unique_ptr<ResultFolder> claim_folder(const std::string& folder, const FolderOwner& owner, bool overwrite,
                                           const Execution& execution, const GivenInputs& inputs) {
  if (folder.empty()) {
    return nullptr;
  }
  const std::filesystem::path path(folder);
  auto claimed = std::make_unique<ResultFolder>(path, owner, overwrite);
  if (!claimed->note().empty()) {
    tell("mbdbench: note: {}", claimed->note());
  }
  write_provenance(path / "provenance.json", capture_provenance(owner, execution));
  write_files(path, inputs);
  write_json(path / "inputs.json", json_of(owner, inputs));
  return claimed;
}

}  // namespace mbdbench
