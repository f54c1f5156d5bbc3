#include "experiments/studies/verdicts/study_inputs.hpp"

#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/files/result_removal.hpp"
#include "experiments/files/text_digest.hpp"
#include "mechanisms/io/mechanism_writer.hpp"

namespace mbdbench::studies {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "inputs";
// A thousand bodies are a megabyte; larger ones are the catalogue's, which the program and the key identify.
constexpr int kMostBodiesWrittenOut = 1000;

std::string plain(const std::string& words) {
  std::string name;
  for (const char letter : words.substr(0, 60)) {
    name += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  }
  return name;
}

/// \returns the command as the declaration has it: its folder is another one on another machine.
std::string declared_command(const Study& study, std::string command) {
  const std::string& folder = study.inputs.folder;
  for (std::size_t at = folder == "." ? std::string::npos : command.find(folder); at != std::string::npos;
       at = command.find(folder, at)) {
    command.replace(at, folder.size(), "{here}");
  }
  return command;
}

}  // namespace

std::string mechanism_digest(const Mechanism& mechanism) {
  return text_digest(write_mechanism(mechanism.description()));
}

fs::path mechanism_file(const std::string& word, const Mechanism& mechanism) {
  if (mechanism.body_count() > kMostBodiesWrittenOut) {
    return {};
  }
  return fs::path(kFolder) / fmt::format("{}_{}.toml", plain(word), mechanism_digest(mechanism).substr(0, 8));
}

fs::path mechanism_file(const StudyMechanism& mechanism) {
  return mechanism_file(mechanism.word, *mechanism.mechanism);
}

void write_mechanism_file(const std::string& word, const Mechanism& mechanism, const fs::path& output) {
  const fs::path file = mechanism_file(word, mechanism);
  if (!file.empty()) {
    fs::create_directories(output / kFolder);
    replace_file(output / file, write_mechanism(mechanism.description()));
  }
}

nlohmann::ordered_json inputs_json(const Study& study, const std::vector<StudyEngine>& engines) {
  nlohmann::ordered_json json = {{"declaration", text_digest(study.inputs.declaration)}, {"quick", study.inputs.quick}};
  json["files"] = nlohmann::ordered_json::object();
  for (const auto& [name, text] : study.inputs.files) {
    json["files"][name] = text_digest(text);
  }
  json["reference_files"] = nlohmann::ordered_json::object();
  for (const StudyMechanism& mechanism : study.mechanisms) {
    if (mechanism.reference != nullptr) {
      json["reference_files"][mechanism.reference->file] = mechanism.reference->digest;
    }
  }
  json["engines"] = nlohmann::ordered_json::array();
  for (const StudyEngine& engine : engines) {
    json["engines"].push_back({{"name", engine.name},
                               {"command", declared_command(study, engine.command)},
                               {"version", engine.version},
                               {"failure", engine.failure}});
  }
  return json;
}

void write_inputs(const Study& study, const fs::path& output) {
  remove_results(output, kFolder);
  fs::create_directories(output / kFolder);
  replace_file(output / kFolder / "declaration.toml", study.inputs.declaration);
  for (const auto& [name, text] : study.inputs.files) {
    replace_file(output / kFolder / (plain(fs::path(name).stem().string()) + ".csv"), text);
  }
  for (const StudyMechanism& mechanism : study.mechanisms) {
    write_mechanism_file(mechanism.word, *mechanism.mechanism, output);
  }
}

}  // namespace mbdbench::studies
