#pragma once
/// \file
/// Threads that share the branches of a LinkTree.
#include <span>
#include <vector>

#include "formulations/execution/thread_team.hpp"
#include "formulations/recursion/link_tree.hpp"

namespace mbdbench {

/// A region of threads for every sweep over the branches; what the trunk does, the caller does before or after it. A
/// thread has branches that are neighbours in memory, the same in every sweep: its caches then hold them, and what they
/// fetch ahead is not what another thread writes (which made two threads no faster than one).
class BranchTeam {
 public:
  /// \param threads at most one a branch is used
  BranchTeam(const LinkTree& tree, int threads);

  /// Threads have a share each of what belongs to no branch: calls work(index, count) for the shares 0 .. count - 1.
  template <typename Work>
  void for_shares(const Work& work) const {
    team_.run([&](const TeamMember& member) {
      work(static_cast<std::size_t>(member.index), static_cast<std::size_t>(member.count));
    });
  }

  /// \returns where sweeps write what belongs to quasi-velocities (LinkRow::place): at once, or into `by_place`.
  static std::span<double> sweep_target(std::span<double> by_velocity, std::vector<double>& by_place) {
    return by_place.empty() ? by_velocity : std::span<double>(by_place);
  }
  /// From there to where it is wanted, after the sweeps. Nothing where it has been written at once.
  void deliver(const LinkTree& tree, std::span<const double> by_place, std::span<double> by_velocity) const;

  /// \returns how many threads share the branches.
  [[nodiscard]] int size() const { return team_.size(); }

  /// Calls work(b) for every branch, tree.ranges()[b] with b from 1 on. Work must not throw, and must write nothing
  /// that another branch reads or writes.
  template <typename Work>
  void for_branches(const Work& work) const {
    if (branches_ == 0) {
      return;
    }
    team_.run([&](const TeamMember& member) {
      const std::size_t* const own = bounds(member);
      for (std::size_t b = own[0]; b < own[1]; ++b) {
        work(b);
      }
    });
  }

 private:
  /// \returns the first branch of a member, and of the next one.
  [[nodiscard]] const std::size_t* bounds(const TeamMember& member) const {
    return &bounds_[static_cast<std::size_t>((member.count - 1) * (team_.size() + 1) + member.index)];
  }

  int branches_;
  ThreadTeam team_;
  std::vector<std::size_t> bounds_;  // for one member, for two, ...: first branches
};

}  // namespace mbdbench
