#pragma once
/// \file
/// Threads that share a right-hand side: an OpenMP region, its members and its barrier.
///
/// The one place where the suite divides a computation among threads. The pragmas stand in this folder's .cpp files,
/// which alone are compiled with -fopenmp: headers need no switch of their users, and Eigen, which divides large
/// products among threads wherever it finds OpenMP switched on, stays on the thread that calls it.

namespace mbdbench {

/// One of those who share a region. Member 0 is the thread that called `ThreadTeam::run`, as MPI_THREAD_FUNNELED needs.
struct TeamMember {
  int index = 0;
  int count = 1;  ///< members that OpenMP has given the region: at most what the team asked for

  /// Waits until all members of the region have come here.
  void barrier() const;
};

/// So many threads for one caller at a time. OpenMP has one set of threads for every thread that calls, whatever the
/// number of teams.
class ThreadTeam {
 public:
  /// \param most members, at least 1; more than OMP_THREAD_LIMIT are not asked for
  explicit ThreadTeam(int most);

  /// Gives back the calling thread's others, which after a region spin for the next one for milliseconds; that starts
  /// them anew, in 0.1 ms. Nothing inside a region; to Clang's library a mere hint (they yield, KMP_BLOCKTIME).
  static void rest();

  /// \returns how many members a region has at most. It has fewer inside other regions (one, unless
  /// OMP_MAX_ACTIVE_LEVELS says more) and as OMP_DYNAMIC wants it.
  [[nodiscard]] int size() const { return size_; }

  /// Calls work(member) on every member and returns when all have finished. Work must not throw, and must compute the
  /// same for any number of members. The first call of a size may allocate, in OpenMP's library; later ones do not.
  template <typename Work>
  void run(const Work& work) const {
    if (size_ == 1) {
      work(TeamMember{});  // no region: the caller may stand in somebody else's
      return;
    }
    run_region(
        size_, [](const void* given, const TeamMember& member) { (*static_cast<const Work*>(given))(member); }, &work);
  }

 private:
  static void run_region(int members, void (*call)(const void*, const TeamMember&), const void* work);

  int size_;
};

}  // namespace mbdbench
