#pragma once
/// \file
/// From the reports of all segments to what each of them learns: handles between segments and the cut joint closed.
/// Every member of a team has one of its own.
#include <optional>
#include <span>
#include <vector>

#include "formulations/subchains/loop_closure.hpp"
#include "formulations/subchains/node_chain.hpp"

namespace mbdbench {

/// Allocates nothing after construction.
class SegmentClosing {
 public:
  SegmentClosing(const Mechanism& mechanism, const ChainPlan& plan, const ChainSweeps& sweeps);

  void close_accelerations(std::span<const SegmentReport> reports);
  /// The same with the matrices of `close_projection`: the reports' f, v and angular velocities are new.
  void close_accelerations_again(std::span<const SegmentReport> reports);
  /// \param leak kappa, 1/s
  void close_velocities(std::span<const SegmentReport> reports, double leak);
  /// The impulses that bring velocities onto the constraints. \param reports of these, with levers and drift
  void close_projection(std::span<const SegmentReport> reports);
  /// Of p' as momenta, with the matrices of `close_velocities`: what the tangent gauge adds becomes the cut joint's
  /// load, with kappa sigma of the last `close_velocities`. \param kappa 1/s
  void close_tangent(std::span<const SegmentReport> reports, double kappa);

  /// What the cut joint loads a segment with at its distal handle, in the frame of the next segment's first link, after
  /// `close_velocities` and `close_tangent`.
  [[nodiscard]] Vec6 outboard_load(std::span<const SegmentReport> reports, int segment) const;

  /// What the last of them found: V at a segment's proximal handle, F' at its distal one.
  [[nodiscard]] const kernels::Row& motion(int segment) const {
    return chain_.motion(static_cast<std::size_t>(segment));
  }
  [[nodiscard]] const kernels::Row& wrench(int segment) const {
    return chain_.wrench(static_cast<std::size_t>(segment));
  }
  [[nodiscard]] const LoopClosure* loop() const { return loop_ ? &*loop_ : nullptr; }

 private:
  void assemble(std::span<const SegmentReport> reports, const Vec3& base);
  void assemble_again(std::span<const SegmentReport> reports, const Vec3& base);
  void set_base(std::size_t arm, std::span<const SegmentReport> reports, const Vec3& base);
  void disassemble();
  void set_end(std::size_t which, std::span<const SegmentReport> reports, const Vec3& base, bool outward_scans);
  void add_motion(std::size_t which, std::span<const SegmentReport> reports);

  const ChainPlan* plan_;
  const ChainSweeps* sweeps_;
  NodeChain chain_;  // of all segments
  std::vector<kernels::TipRows> tips_;
  std::vector<kernels::Row> bases_;  // V of each arm
  std::optional<LoopClosure> loop_;
};

}  // namespace mbdbench
