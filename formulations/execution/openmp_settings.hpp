#pragma once
/// \file
/// What OpenMP was told by the environment, and what it works with.
#include <string>
#include <vector>

namespace mbdbench {

constexpr int kMostThreads = 1024;

/// \returns the threads that OMP_NUM_THREADS asks for, those of the outermost region where it is a list; 1 where it is
/// not set or `refuse_thread_environment` has something against it. With nothing said the suite computes on one thread,
/// where OpenMP would take all processors: formulations that cannot be divided stand beside those that can.
int threads_of_environment();

/// \returns what is wrong with OMP_NUM_THREADS and what would be right; empty if nothing is.
std::string refuse_thread_environment();

/// What OpenMP's library works with in this process.
struct OpenmpSettings {
  int version = 0;                  ///< _OPENMP, as 201511
  int members = 1;                  ///< that a region of the threads asked for really has
  int max_threads = 1;              ///< omp_get_max_threads: what regions that ask for no number have
  int thread_limit = 0;             ///< OMP_THREAD_LIMIT, or a huge number
  int max_active_levels = 1;        ///< OMP_MAX_ACTIVE_LEVELS: 1 makes regions inside regions serial
  bool dynamic = false;             ///< OMP_DYNAMIC
  std::string proc_bind;            ///< "false", "true", "primary", "close", "spread"
  std::vector<std::string> places;  ///< "0-1": processors of each, as OMP_PLACES divides them; empty: it does not
  std::string wait_policy;          ///< OMP_WAIT_POLICY as set, or "unset"
};

/// \param threads asked for; a region of so many is opened
OpenmpSettings openmp_settings(int threads);

}  // namespace mbdbench
