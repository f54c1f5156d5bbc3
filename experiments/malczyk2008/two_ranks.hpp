#pragma once
/// \file
/// Starts the program on two ranks with mpirun. The main program itself does not need MPI.
#include <filesystem>
#include <string>

#include "experiments/malczyk2008/job.hpp"

namespace mbdbench::malczyk2008 {

/// \returns why two ranks cannot run here: no mpirun, or a build without mbdbench_mpi. Empty if they can.
std::string why_no_two_ranks();

/// Runs the job on two ranks of this machine, or, where that is impossible, the sequential part of it here: `failure`
/// then says why. \param directory for the two files of the job and mpirun's output; exists
JobResult run_job(const Registries& registries, const Job& job, const std::filesystem::path& directory);

/// \returns how many processors this process may run on.
int usable_processors();

/// \returns "2 ranks on 4 processors, bound to core": what is to be known of a two-rank measurement.
std::string placement();

}  // namespace mbdbench::malczyk2008
