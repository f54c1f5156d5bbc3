#include "experiments/command_line/claimed_folder.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "experiments/files/json_file.hpp"
#include "experiments/records/provenance/provenance.hpp"
#include "experiments/studies/verdicts/study_inputs.hpp"
#include "experiments/terminal/message.hpp"

namespace mbdbench {
namespace {

nlohmann::ordered_json json_of(const FolderOwner& owner, const GivenInputs& inputs) {
  nlohmann::ordered_json json = {{"command", owner.command}, {"mechanisms", nlohmann::ordered_json::array()}};
  for (const Mechanism* const mechanism : inputs.mechanisms) {
    json["mechanisms"].push_back({{"mechanism", mechanism->name()}, {"digest", studies::mechanism_digest(*mechanism)}});
  }
  json["formulations"] = inputs.formulations;
  json["settings"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : inputs.settings) {
    json["settings"][name] = value;
  }
  return json;
}

}  // namespace

std::unique_ptr<ResultFolder> claim_folder(const std::string& folder, const FolderOwner& owner, bool overwrite,
                                           const GivenInputs& inputs) {
  if (folder.empty()) {
    return nullptr;
  }
  const std::filesystem::path path(folder);
  auto claimed = std::make_unique<ResultFolder>(path, owner, overwrite);
  if (!claimed->note().empty()) {
    tell("mbdbench: note: {}", claimed->note());
  }
  write_provenance(path / "provenance.json", capture_provenance(owner));
  write_json(path / "inputs.json", json_of(owner, inputs));
  return claimed;
}

}  // namespace mbdbench
