#pragma once
/// \file
/// Starts the program on two ranks with mpirun. The main program itself does not need MPI.
#include <filesystem>
#include <string>

#include "experiments/malczyk2008/job.hpp"

namespace mbdbench::malczyk2008 {

/// \returns why two ranks cannot run here: no mpirun, or a build without mbdbench_mpi. Empty if they can.
std::string why_no_two_ranks();

/// The way of a message between the ranks.
enum class Transport {
  shared_memory,  ///< the library's fast way on one machine; yields to the user's own OMPI_MCA_btl
  tcp             ///< sockets over the loopback interface: a stand-in for a network, of Open MPI only
};

/// \returns how long the two ranks may take for a job before they count as hanging, s: far above what they need.
double longest_time(const Job& job);

/// Runs the job on two ranks of this machine, or, where that is impossible or fails, the sequential part of it here
/// (none with TCP, which repeats what the other transport has measured sequentially): `failure` then says why.
/// \param directory for the two files of the job and mpirun's output; exists
JobResult run_job(const Registries& registries, const Job& job, const std::filesystem::path& directory,
                  Transport transport = Transport::shared_memory);

/// \returns how many processors this process may run on.
int usable_processors();

/// \returns "2 ranks on 4 processors, bound to core": what is to be known of a two-rank measurement.
std::string placement();

/// \returns "Open MPI v4.1.4, messages through self,vader, 2 ranks on 4 processors, bound to core".
std::string circumstances(const JobResult& result);

}  // namespace mbdbench::malczyk2008
