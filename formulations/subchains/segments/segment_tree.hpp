#pragma once
/// \file
/// Which neighbouring segments of an arm are closed together: a binary tree over each arm that depends on the plan
/// alone, so that results have the same bits whatever threads and processes close it.
#include <span>
#include <vector>

#include "formulations/subchains/chains/chain_plan.hpp"

namespace mbdbench {

/// Neighbouring segments of one arm that are closed as one node: a segment by itself, or two stretches and the handle
/// between them.
struct Stretch {
  int first = 0;  ///< segments [first, last)
  int last = 0;
  int arm = 0;
  int inboard = -1;  ///< the stretches that it is joined of; -1: it is a segment
  int outboard = -1;
  bool goes_on = false;  ///< whether something hangs on, or is held, at its distal handle
};

/// Plain data.
class SegmentTree {
 public:
  explicit SegmentTree(const ChainPlan& plan);

  /// The segments by number, then joined ones, every stretch behind those that it is joined of.
  [[nodiscard]] std::span<const Stretch> stretches() const { return stretches_; }
  [[nodiscard]] const Stretch& at(int stretch) const { return stretches_[static_cast<std::size_t>(stretch)]; }
  [[nodiscard]] int segments() const { return segments_; }
  /// \returns the stretch of all segments of an arm.
  [[nodiscard]] int whole(std::size_t arm) const { return whole_[arm]; }

  /// \returns the fewest stretches that have the segments [first, last) and no others, from the first segment on.
  [[nodiscard]] std::vector<int> within(int first, int last) const;
  /// \returns the joined stretches that lie in [first, last), but not on one side of `middle`, in the order in which
  /// they can be joined.
  [[nodiscard]] std::vector<int> joined_across(int first, int middle, int last) const;

 private:
  /// \returns the stretch of segments [first, last) of an arm.
  int join(const ChainArm& arm, int first, int last, bool balanced);

  int segments_;
  std::vector<Stretch> stretches_;
  std::vector<int> joined_to_;  // by stretch, -1: a whole arm
  std::vector<int> whole_;      // by arm
};

}  // namespace mbdbench
