#pragma once
/// \file
/// Which bodies and joints a process has to know.
#include <span>
#include <vector>

#include "formulations/execution/branch_team.hpp"

namespace mbdbench {

/// Bodies and joints by number.
struct DualScope {
  bool everything = true;  ///< whatever the lists have
  std::vector<int> bodies;
  std::vector<int> joints;

  /// Calls work(i) for a thread's share of the bodies, or of all `count`.
  template <typename Work>
  void for_bodies(const BranchShare& share, std::size_t count, const Work& work) const {
    for_each(everything, bodies, share, count, work);
  }
  template <typename Work>
  void for_joints(const BranchShare& share, std::size_t count, const Work& work) const {
    for_each(everything, joints, share, count, work);
  }

 private:
  template <typename Work>
  static void for_each(bool everything, const std::vector<int>& some, const BranchShare& share, std::size_t count,
                       const Work& work) {
    if (everything) {
      share.for_each(count, work);
    } else {
      share.for_each(some.size(), [&](std::size_t i) { work(static_cast<std::size_t>(some[i])); });
    }
  }
};

}  // namespace mbdbench
