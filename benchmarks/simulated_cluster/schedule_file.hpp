#pragma once
/// \file
/// Schedules as CSV: a line a step, steps of one right-hand side one behind another.
#include <filesystem>
#include <vector>

#include "benchmarks/simulated_cluster/schedule.hpp"

namespace mbdbench {

/// Writes the file anew. \throws WriteError
void write_schedules(const std::filesystem::path& file, const std::vector<Schedule>& schedules);

/// \throws FileError with file and line for anything that is no schedule on 1, 2, 4 ... nodes
std::vector<Schedule> read_schedules(const std::filesystem::path& file);

}  // namespace mbdbench
