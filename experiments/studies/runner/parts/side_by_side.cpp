#include "experiments/studies/runner/parts/side_by_side.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "formulations/execution/thread_team.hpp"

namespace mbdbench::studies {

void side_by_side(std::size_t count, int jobs, const std::function<bool()>& stop,
                  const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto take = [&] {
    while (!failed && !(stop && stop())) {
      const std::size_t piece = next++;
      if (piece >= count) {
        return;
      }
      try {
        work(piece);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = failure ? failure : std::current_exception();
        failed = true;
      }
    }
  };
  const std::size_t members = std::min(static_cast<std::size_t>(std::max(jobs, 1)), count);
  ThreadTeam(static_cast<int>(members)).run([&take](const TeamMember& /*member*/) { take(); });
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace mbdbench::studies
