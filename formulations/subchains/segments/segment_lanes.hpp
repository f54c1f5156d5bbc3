#pragma once
/// \file
/// The lanes of segments: what they report of themselves, and what each lane is told before the next sweep.
#include "formulations/subchains/segments/segment_closing.hpp"
#include "formulations/subchains/segments/segment_scans.hpp"

namespace mbdbench {

/// Of the segments in one process's blocks. Allocates nothing after construction.
class SegmentLanes {
 public:
  SegmentLanes(const ChainPlan& plan, const ChainLanes& lanes, const ChainSweeps& sweeps, const ChainRange& blocks)
      : scans_(plan, lanes),
        sweeps_(&sweeps),
        first_block_(blocks.first),
        chain_(index_of(blocks.count() * ChainSweeps::kLanes)) {}

  [[nodiscard]] const SegmentScans& scans() const { return scans_; }
  /// \returns the nodes of a block's lanes, to be set by its sweeps.
  [[nodiscard]] kernels::ChainNode* nodes(int b) { return chain_.nodes() + place(b * ChainSweeps::kLanes); }

  /// The way over all lanes of a segment (momenta, where a cut joint loads the links).
  void report_lever(int s, SegmentReport& report) const;
  /// The way over all lanes and what a segment moves its end with (projected velocities).
  void report_motion(int s, SegmentReport& report) const;
  /// What the cut joint loads the links with (momenta).
  void tell_loads(int s, const SegmentClosing& closing) const;
  /// Closes the handles between the lanes: the report's node and tip.
  void close(int s, SegmentReport& report);
  /// The same for another right side, after the nodes' f and v were set anew.
  void close_again(int s, SegmentReport& report);
  /// The way outward over them: motions and wrenches at the lanes' handles.
  void open(int s, const SegmentClosing& closing);

 private:
  [[nodiscard]] Vec3 lever_of(int lane) const { return vector_at(scans_.block_of(lane).levers, lane); }
  [[nodiscard]] static Vec3 vector_at(const double* lanes, int lane) {
    return vector_of(lane_of<kernels::LinkVector<double>>(lanes, lane % ChainSweeps::kLanes));
  }
  /// \returns where a lane stands among those of this process.
  [[nodiscard]] std::size_t place(int lane) const { return index_of(lane - first_block_ * ChainSweeps::kLanes); }
  /// \returns whether something goes on, or is held, at a segment's distal handle.
  [[nodiscard]] bool has_tip(int s) const { return scans_.arm_of(s).at_cut || s + 1 < scans_.arm_of(s).last_segment; }

  SegmentScans scans_;
  const ChainSweeps* sweeps_;
  int first_block_;
  NodeChain chain_;
};

}  // namespace mbdbench
