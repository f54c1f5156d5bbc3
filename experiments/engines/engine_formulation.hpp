#pragma once
/// \file
/// Another engine as a formulation: the suite's checks, runs and studies with accelerations that somebody else's
/// program computes.
#include <string>
#include <string_view>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// State (q, u). The engine's program is the default of the option `program`, so that KEY alone names it everywhere.
/// \param word "NAME=COMMAND"; kept for the rest of the program
/// \throws std::invalid_argument unless NAME is one of letters, digits, - and _, and COMMAND is not empty
FormulationEntry engine_entry(std::string_view word);

/// Starts an engine for one question. \param patience s
/// \returns its name and version, as it calls itself. \throws EngineError, EngineNotPermitted, std::runtime_error
std::string engine_version(const std::string& command, const Mechanism& mechanism, double patience);

}  // namespace mbdbench
