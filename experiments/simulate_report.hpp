#pragma once
/// \file
/// What a run leaves beside its trajectory: statistics, timings, the state it ended in.
#include <cstddef>
#include <filesystem>
#include <string_view>

#include "experiments/run_accuracy.hpp"
#include "experiments/simulate_setup.hpp"
#include "experiments/simulation.hpp"

namespace mbdbench {

/// \returns the integrator's status, or "output_failed" where the run stopped because a sample could not be kept.
std::string_view status_word(const SimulationResult& result);

/// How the run went: everything that is the same each time. \throws FileError
void write_statistics(const std::filesystem::path& file, const SimulateSetup& setup, const SimulationResult& result,
                      const RunAccuracy& accuracy, std::size_t samples);

/// Wall time in s, which never is. \throws FileError
void write_timings(const std::filesystem::path& file, const SimulationResult& result);

/// The last accepted state, for --restart. \throws FileError
void write_state(const std::filesystem::path& file, const SimulateSetup& setup, const SimulationResult& result);

}  // namespace mbdbench
