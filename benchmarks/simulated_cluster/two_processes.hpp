#pragma once
/// \file
/// Two real processes of this machine beside what is expected of them: the check of the simulation.
#include <filesystem>

namespace mbdbench {

/// Under `mpirun -n 2`: times right-hand sides of two processes (measured.csv), messages between them (network.csv) and
/// on one of them, while the other one rests, the pieces (schedules.csv). \returns an exit code
int measure_two_processes(const std::filesystem::path& folder, int& argument_count, char**& arguments);

}  // namespace mbdbench
