#include "formulations/execution/thread_team.hpp"

#include <omp.h>
#include <pthread.h>

#include <algorithm>

namespace mbdbench {
namespace {

/// A process that is forked has the calling thread alone, while GCC's library still counts on the threads that shared
/// its regions: the next region would wait for them for ever. So they are given back before every fork, and started
/// anew on both sides when they are needed. Clang's library notices forks by itself, and holds its locks meanwhile.
void survive_forks() {
#if defined(__GNUC__) && !defined(__clang__)
  static const int registered = pthread_atfork(ThreadTeam::rest, nullptr, nullptr);
  static_cast<void>(registered);
#endif
}

}  // namespace

ThreadTeam::ThreadTeam(int most) : size_(std::clamp(most, 1, std::max(1, omp_get_thread_limit()))) {
  if (size_ > 1) {
    survive_forks();
  }
}

// Threads of Clang's library wait for KMP_BLOCKTIME all the same, 200 ms where nothing is said.
void ThreadTeam::rest() {
  omp_pause_resource_all(omp_pause_soft);
}

void ThreadTeam::run_region(int members, void (*call)(const void*, const TeamMember&), const void* work) {
  if (omp_get_active_level() >= omp_get_max_active_levels()) {
    call(work, TeamMember{});  // a region of one, for which OpenMP's libraries would allocate
    return;
  }
#pragma omp parallel num_threads(members) default(none) shared(call, work)
  call(work, TeamMember{omp_get_thread_num(), omp_get_num_threads()});
}

void TeamMember::barrier() const {
  if (count > 1) {
#pragma omp barrier
  }
}

}  // namespace mbdbench
