#pragma once
/// \file
/// Who works on what in a ChainPlan: the blocks of one process, shared by a team of threads, with the way of angles and
/// joint forces into their lanes.
#include <cstddef>
#include <span>
#include <vector>

#include "formulations/execution/execution.hpp"
#include "formulations/execution/thread_team.hpp"
#include "formulations/subchains/chains/chain_lanes.hpp"
#include "formulations/subchains/chains/chain_loads.hpp"
#include "formulations/subchains/segments/segment_scans.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

/// Parts refer to each other: neither copied nor moved.
struct ChainTeam {
  /// \param execution threads, at most one a block, and processes; where these are nullptr all blocks are here
  ChainTeam(const Mechanism& mechanism, ChainPlan given_plan, const Execution& execution);
  ~ChainTeam() = default;
  ChainTeam(const ChainTeam&) = delete;
  ChainTeam& operator=(const ChainTeam&) = delete;
  ChainTeam(ChainTeam&&) = delete;
  ChainTeam& operator=(ChainTeam&&) = delete;

  /// \returns whether a block of this process is the member's.
  [[nodiscard]] bool owns(const TeamMember& member, int b) const {
    return (b - own.blocks.first) * member.count / own.blocks.count() == member.index;
  }
  template <typename Body>
  void for_blocks_of(const TeamMember& member, const Body& body) const {
    for (int b = own.blocks.first; b < own.blocks.last; ++b) {
      if (owns(member, b)) {
        body(b, lanes.block(b));
      }
    }
  }
  template <typename Body>
  void for_segments_of(const TeamMember& member, const Body& body) const {
    for (int s = own.segments.first; s < own.segments.last; ++s) {
      if (owns(member, plan.segments()[index_of(s)].block)) {
        body(s);
      }
    }
  }
  /// All members and processes. \param parts plain data, one a segment: everybody's are there when it returns
  template <typename Part>
  void meet(const TeamMember& member, std::vector<Part>& parts) {
    member.barrier();
    if (processes != nullptr) {
      if (member.index == 0) {
        share(std::as_writable_bytes(std::span(parts)), sizeof(Part));
      }
      member.barrier();
    }
  }
  /// Sines and cosines of a block.
  void set_turns(const ChainSweeps& sweeps, int b, std::span<const double> q) const;
  /// Joint forces into a block, after `loads` were evaluated; nothing where there are none.
  void set_forces(int b) const;

  ProcessExchange* processes;
  ChainPlan plan;
  ChainShare own;
  ChainLanes lanes;
  SegmentScans scans;
  ChainLoads loads;
  ThreadTeam team;

 private:
  void share(std::span<std::byte> parts, std::size_t size);

  std::vector<std::size_t> bounds_;  // of the processes' segments
  std::vector<std::size_t> bytes_;   // the same in what is being shared
};

}  // namespace mbdbench
