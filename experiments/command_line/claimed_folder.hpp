#pragma once
/// \file
/// The folder of a command that does its work at once: claimed when all that could be refused has been looked at, so
/// that a slip leaves nothing behind.
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "experiments/files/result_folder.hpp"
#include "formulations/formulation.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// What a command was given.
struct GivenInputs {
  std::vector<const Mechanism*> mechanisms = {};
  std::vector<std::string> formulations = {};  ///< words
  /// What else its numbers depend on, by names.
  std::vector<std::pair<std::string, std::string>> settings = {};
  std::string state = {};  ///< content of a saved state that the command begins with; empty: none
};

/// \returns settings that say what is started: "engine NAME" and its command, of the formulations that are engines.
std::vector<std::pair<std::string, std::string>> engine_settings(std::span<const FormulationEntry> registry,
                                                                 const std::vector<std::string>& formulations);

/// Locks the folder for this command, tells what the user should know of it, and writes provenance.json, inputs.json
/// with a digest of every mechanism, and inputs/ with the mechanisms of up to 1000 bodies and the state.
/// \returns nothing for no name
/// \throws std::invalid_argument where the folder belongs to something else; WriteError
std::unique_ptr<ResultFolder> claim_folder(const std::string& folder, const FolderOwner& owner, bool overwrite,
                                           const Execution& execution, const GivenInputs& inputs);

}  // namespace mbdbench
