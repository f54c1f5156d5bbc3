#pragma once
/// \file
/// The folder of an ensemble: what was asked for, so that the same command goes on and another one is refused, and what
/// came of it.
#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/ensembles/members/ensemble_members.hpp"
#include "experiments/ensembles/members/member_record.hpp"
#include "experiments/simulation/simulate_setup.hpp"
#include "formulations/execution/instruction_set.hpp"

namespace mbdbench {

/// What results depend on.
struct EnsembleProblem {
  const SimulateSetup& base;  ///< of the mechanism around which members are
  const SimulateRequest& request;
  const EnsembleMembers& members;
  const std::vector<std::string>& quantities;
  bool trajectories = false;
  bool in_lanes = false;
  InstructionSet instruction_set;
};

/// \returns the problem as inputs.json has it.
nlohmann::ordered_json inputs_of(const EnsembleProblem& problem);

/// What of a problem stands in a folder already.
enum class FolderState { nothing, begun, complete };

/// \returns how far the folder is with this problem. \throws std::invalid_argument naming what differs from the
/// folder's; FileError where the folder has another ensemble's inputs.json that cannot be read
FolderState folder_state(const std::filesystem::path& folder, const nlohmann::ordered_json& inputs);

/// Removes what an ensemble that has not been completed must not find: where nothing is begun all that another one has
/// left, otherwise ensemble.json, which says that all is there. \throws std::filesystem::filesystem_error
void clear_for(const std::filesystem::path& folder, FolderState state);

/// What came of all members.
struct EnsembleOutcome {
  std::map<std::string, std::size_t> statuses;
  std::vector<std::size_t> counted;  ///< members of which statistics are made
  std::vector<std::string> reasons;  ///< of the first ones that failed or are inaccurate, for the user
  double evaluations = 0.0;

  [[nodiscard]] std::size_t of(const std::string& status) const {
    const auto found = statuses.find(status);
    return found == statuses.end() ? 0 : found->second;
  }
};

/// Looks at all records and writes members.csv, ensemble.csv and ensemble.json, the last one when all else is there.
/// \throws WriteError, FileError
EnsembleOutcome write_outcome(const std::filesystem::path& folder, const EnsembleProblem& problem,
                              const KeptMembers& kept);

/// \returns the outcome of an ensemble that is complete, from its ensemble.json. \throws FileError
EnsembleOutcome read_outcome(const std::filesystem::path& folder);

}  // namespace mbdbench
