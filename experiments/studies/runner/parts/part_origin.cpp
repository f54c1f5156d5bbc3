#include "experiments/studies/runner/parts/part_origin.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "experiments/files/host_name.hpp"
#include "experiments/files/text_digest.hpp"
#include "experiments/records/provenance/program_digest.hpp"
#include "experiments/records/provenance/provenance.hpp"

namespace mbdbench::studies {
namespace {

// Collisions within one folder are out of the question, and every line of a journal carries it.
constexpr std::size_t kLettersOfId = 12;

}  // namespace

std::string PartOrigin::id() const {
  return text_digest(fmt::format("{}\n{}\n{}\n{}", program, version, instruction_set, machine)).substr(0, kLettersOfId);
}

PartOrigin own_origin(const InstructionSet& set) {
  const Provenance here = capture_provenance({1, nullptr, set});
  return {.program = program_digest(),
          .version = version_text(),
          .instruction_set = here.instruction_set,
          .machine = fmt::format("{}, {}", host_name(), here.cpu)};
}

nlohmann::json to_json(const PartOrigin& origin) {
  return {{"program", origin.program},
          {"version", origin.version},
          {"instruction_set", origin.instruction_set},
          {"machine", origin.machine}};
}

PartOrigin origin_from_json(const nlohmann::json& json) {
  return {.program = json.at("program").get<std::string>(),
          .version = json.at("version").get<std::string>(),
          .instruction_set = json.at("instruction_set").get<std::string>(),
          .machine = json.at("machine").get<std::string>()};
}

}  // namespace mbdbench::studies
