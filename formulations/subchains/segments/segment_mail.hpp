#pragma once
/// \file
/// Processes that close the handles between their segments along a tree: of two groups of processes the second one's
/// first process tells the first one's what its stretches report, and learns from it what they are answered. So many
/// processes exchange 2 log2 messages one after another, and each closes the handles between two groups once, where an
/// exchange of all with all has every process close all of them.
#include <cstddef>
#include <optional>
#include <vector>

#include "formulations/execution/process_exchange.hpp"
#include "formulations/subchains/segments/segment_closing.hpp"

namespace mbdbench {

/// One process's part. Allocates nothing after construction.
class SegmentMail {
 public:
  /// \param processes must outlive this, as must the tree
  SegmentMail(const ChainPlan& plan, const SegmentTree& tree, ProcessExchange& processes);

  /// As SegmentClosing::close, whose reports are those of this process's segments, and whose answers are, too. All
  /// processes call it together.
  void close(const ClosingPass& pass, SegmentClosing& closing);

 private:
  /// Another group of processes, by its first one.
  struct Group {
    int process = 0;
    std::vector<int> stretches;  ///< what is told of them, the other group's or this one's
    std::vector<int> joined;     ///< of the first of two groups: what lies in neither of them alone
  };

  void set_groups(int first, int last);
  [[nodiscard]] int bound(int process) const { return bounds_[static_cast<std::size_t>(process)]; }
  void tell_reports(const ClosingPass& pass, SegmentClosing& closing);
  void take_reports(const ClosingPass& pass, const Group& group, SegmentClosing& closing);
  void tell_answers(const Group& group, SegmentClosing& closing);
  void take_answers(SegmentClosing& closing);

  const SegmentTree* tree_;
  ProcessExchange* processes_;
  std::vector<int> bounds_;       // of the processes' segments
  std::vector<int> own_;          // joined stretches of this process's segments alone
  std::vector<Group> outboard_;   // those that tell this process, the smallest first
  std::optional<Group> inboard_;  // the one that this process tells
  std::vector<std::byte> buffer_;
};

}  // namespace mbdbench
