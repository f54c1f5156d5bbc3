#pragma once
/// \file
/// What an interrupted user has to type.
#include <string>

#include "experiments/simulation/simulate_run.hpp"

namespace mbdbench {

/// \returns the command that continues a run from the state it saved, into a new directory: its settings are
/// saved with the state.
/// \param state file in the directory of the run
std::string continuation_command(const SimulateRequest& request, const char* state = "state.json");

}  // namespace mbdbench
