#include "formulations/subchains/segments/segment_tree.hpp"

#include <algorithm>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

// One after another, what hangs outboard of a handle has no distal one in open chains, and closing it takes two thirds
// of the time. Halves are for messages along the tree, which goes on from 64 processes on, a loop's two arms with half
// of them each.
constexpr int kMostInARow = 31;

}  // namespace

SegmentTree::SegmentTree(const ChainPlan& plan) : segments_(static_cast<int>(plan.segments().size())) {
  for (int s = 0; s < segments_; ++s) {
    const int arm = plan.segments()[index_of(s)].arm;
    const ChainArm& of = plan.arms()[index_of(arm)];
    stretches_.push_back({s, s + 1, arm, -1, -1, of.at_cut || s + 1 < of.last_segment});
  }
  for (const ChainArm& arm : plan.arms()) {
    whole_.push_back(
        join(arm, arm.first_segment, arm.last_segment, arm.last_segment - arm.first_segment > kMostInARow));
  }
  joined_to_.assign(stretches_.size(), -1);
  for (std::size_t k = 0; k < stretches_.size(); ++k) {
    if (stretches_[k].inboard >= 0) {
      joined_to_[index_of(stretches_[k].inboard)] = static_cast<int>(k);
      joined_to_[index_of(stretches_[k].outboard)] = static_cast<int>(k);
    }
  }
}

int SegmentTree::join(const ChainArm& arm, int first, int last, bool balanced) {
  if (last - first == 1) {
    return first;
  }
  const int middle = balanced ? first + (last - first) / 2 : first + 1;
  Stretch joined{first, last, stretches_[index_of(first)].arm};
  joined.outboard = join(arm, middle, last, balanced);
  joined.inboard = join(arm, first, middle, balanced);
  joined.goes_on = arm.at_cut || last < arm.last_segment;
  stretches_.push_back(joined);
  return static_cast<int>(stretches_.size()) - 1;
}

std::vector<int> SegmentTree::within(int first, int last) const {
  const auto inside = [&](int stretch) {
    return stretch >= 0 && at(stretch).first >= first && at(stretch).last <= last;
  };
  std::vector<int> found;
  for (int k = 0; k < static_cast<int>(stretches_.size()); ++k) {
    if (inside(k) && !inside(joined_to_[index_of(k)])) {
      found.push_back(k);
    }
  }
  std::sort(found.begin(), found.end(), [&](int a, int b) { return at(a).first < at(b).first; });
  return found;
}

std::vector<int> SegmentTree::joined_across(int first, int middle, int last) const {
  std::vector<int> found;
  for (int k = segments_; k < static_cast<int>(stretches_.size()); ++k) {
    const Stretch& one = at(k);
    if (one.first >= first && one.last <= last && (middle <= first || (one.first < middle && one.last > middle))) {
      found.push_back(k);
    }
  }
  return found;
}

}  // namespace mbdbench
