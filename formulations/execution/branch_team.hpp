#pragma once
/// \file
/// Processes and threads that share branches: pieces of a right-hand side that need nothing of one another.
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "formulations/execution/execution.hpp"
#include "formulations/execution/thread_team.hpp"

namespace mbdbench {

/// What a member of a region has to do.
struct BranchShare {
  TeamMember member;
  std::size_t first = 0;  ///< branch
  std::size_t last = 0;   ///< behind its last branch

  /// \returns the member's share [first, last) of so many things that belong to no branch.
  [[nodiscard]] std::pair<std::size_t, std::size_t> of(std::size_t things) const {
    const auto index = static_cast<std::size_t>(member.index);
    const auto count = static_cast<std::size_t>(member.count);
    return {things * index / count, things * (index + 1) / count};
  }

  /// Calls work(i) for the member's share of so many things.
  template <typename Work>
  void for_each(std::size_t things, const Work& work) const {
    const auto [begin, end] = of(things);
    for (std::size_t i = begin; i < end; ++i) {
      work(i);
    }
  }
};

/// Regions of threads over branches; what all branches hang on, the trunk, one thread of every process does before or
/// after. A thread has branches that are neighbours in memory, the same in every region: its caches then hold them, and
/// what they fetch ahead is not what another thread writes (which made two threads no faster than one).
///
/// Every process has branches that are neighbours, too, and its threads share these. What others need of them it tells
/// by `exchange`, which all processes call together.
class BranchTeam {
 public:
  /// \param costs of the trunk, then of the branches; none: nothing is shared
  /// \param execution threads, at most one a branch, and processes
  BranchTeam(std::span<const double> costs, const Execution& execution);

  /// \returns how many threads of this process share its branches.
  [[nodiscard]] int size() const { return team_.size(); }
  /// \returns the first branch of this process, and that behind its last one.
  [[nodiscard]] std::pair<std::size_t, std::size_t> own_branches() const { return {bounds_[0], bounds_[1]}; }
  /// \returns whether several processes share the branches.
  [[nodiscard]] bool is_divided() const { return processes_ != nullptr; }
  /// \returns which of them this one is, from 0.
  [[nodiscard]] std::size_t process() const {
    return processes_ == nullptr ? 0 : static_cast<std::size_t>(processes_->process());
  }
  /// \returns the first branch of every process, and that behind the last one.
  [[nodiscard]] std::span<const std::size_t> process_bounds() const { return process_bounds_; }

  /// Everybody's pieces to everybody. Nothing where this process is alone. \param pieces bytes, as of ProcessExchange
  template <typename T>
  void exchange(std::span<T> all, std::span<const std::size_t> pieces) const {
    if (processes_ != nullptr) {
      processes_->share(std::as_writable_bytes(all), pieces);
    }
  }

  /// Calls work(share) on every thread, in one region. Work must not throw.
  template <typename Work>
  void run(const Work& work) const {
    team_.run([&](const TeamMember& member) {
      const std::size_t* const own = bounds(member);
      work(BranchShare{member, own[0], own[1]});
    });
  }

  /// Threads have a share each of what belongs to no branch: calls work(index, count) for the shares 0 .. count - 1.
  template <typename Work>
  void for_shares(const Work& work) const {
    team_.run([&](const TeamMember& member) {
      work(static_cast<std::size_t>(member.index), static_cast<std::size_t>(member.count));
    });
  }

  /// Calls work(b) for every branch of this process; branches are numbered from 1 on. Work must not throw, and must
  /// write nothing that another branch reads or writes.
  template <typename Work>
  void for_branches(const Work& work) const {
    if (branches_ <= 0) {
      return;
    }
    run([&](const BranchShare& share) {
      for (std::size_t b = share.first; b < share.last; ++b) {
        work(b);
      }
    });
  }

 private:
  /// \returns the first branch of a member, and of the next one.
  [[nodiscard]] const std::size_t* bounds(const TeamMember& member) const {
    return &bounds_[static_cast<std::size_t>((member.count - 1) * (team_.size() + 1) + member.index)];
  }

  int branches_;  // of this process
  ProcessExchange* processes_;
  std::vector<std::size_t> process_bounds_;  // first branch of every process, and one more than there are
  ThreadTeam team_;
  std::vector<std::size_t> bounds_;  // for one member, for two, ...: first branches
};

}  // namespace mbdbench
