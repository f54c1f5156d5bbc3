#pragma once
/// \file
/// Threads that stay: a right-hand side of a few microseconds cannot wait for threads to be started.
///
/// The caller is member 0. Between calls the others spin for a short while, then yield, then sleep, so that a team
/// costs nothing while nobody uses it and does not starve a machine that is shared.
#include <atomic>
#include <thread>
#include <vector>

namespace mbdbench {

/// A team of a fixed size for one caller at a time.
class WorkerTeam {
 public:
  /// \param members at least 1; one needs no thread
  explicit WorkerTeam(int members);
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;
  WorkerTeam(WorkerTeam&&) = delete;
  WorkerTeam& operator=(WorkerTeam&&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls work(member) on every member and returns when all have finished. Work must not throw.
  template <typename Work>
  void run(const Work& work) {
    if (threads_.empty()) {
      work(0);
      return;
    }
    call_ = [](const void* given, int member) { (*static_cast<const Work*>(given))(member); };
    work_ = &work;
    start();
    work(0);
    barrier();
  }

  /// Inside `run`: waits until all members have come here.
  void barrier();

 private:
  void start();
  void serve(int member);

  void (*call_)(const void*, int) = nullptr;
  const void* work_ = nullptr;
  alignas(64) std::atomic<unsigned> started_ = 0;  // counts calls of run; the last one ends the team
  alignas(64) std::atomic<int> arrived_ = 0;
  alignas(64) std::atomic<unsigned> phase_ = 0;
  std::atomic<bool> ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace mbdbench
