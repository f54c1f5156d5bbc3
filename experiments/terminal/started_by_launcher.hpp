#pragma once
/// \file
/// Whether an MPI launcher has started this process, asked without MPI: its start takes a tenth of a second and more.
#include <cstdlib>

namespace mbdbench {

/// \returns a variable of Open MPI's mpirun, of PMIx (srun --mpi=pmix) or of PMI (MPICH, Intel MPI).
inline const char* launcher_variable() {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"}) {
    if (std::getenv(name) != nullptr) {
      return name;
    }
  }
  return nullptr;
}

}  // namespace mbdbench
