#pragma once
/// \file
/// From the reports of all segments to what each of them learns: handles between segments and the cut joint closed,
/// inward and outward over the tree of the segments.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "formulations/subchains/loop_closure.hpp"
#include "formulations/subchains/node_chain.hpp"
#include "formulations/subchains/segments/segment_tree.hpp"

namespace mbdbench {

/// What is asked of the segments, and which of their reports' numbers are new.
enum class ClosingKind : std::uint8_t {
  rates,                ///< angular velocities alone; scans outward
  accelerations,        ///< after `rates`: everything else
  accelerations_again,  ///< after `rates`, with the matrices of `impulses`: f and v are new
  velocities,           ///< everything; scans inward
  impulses,             ///< that bring velocities onto the constraints: levers and drift too; scans outward
  tangent               ///< of p' as momenta, with the matrices of `velocities`: f and v are new
};

/// \param leak kappa of the gauges leak and tangent, 1/s
struct ClosingPass {
  ClosingKind kind = ClosingKind::rates;
  double leak = 0.0;
};

/// What a stretch learns of the rest of its mechanism: plain data of one size. At its distal handle in the frame of the
/// next segment's first link; at its proximal one in that of its own, before the joint's angle.
struct StretchAnswer {
  kernels::Row motion{};                  ///< V at the proximal handle
  kernels::Row wrench{};                  ///< F' at the distal one
  kernels::Row load{};                    ///< what the cut joint loads it with at the distal one (momenta)
  kernels::LinkVector<double> omega{};    ///< angular velocity inboard of it (accelerations)
  kernels::LinkVector<double> moment{};   ///< first moment outboard of it (momenta)
  kernels::LinkVector<double> gravity{};  ///< at the proximal handle (momenta)
};

/// What all segments learn alike.
struct ClosingVerdict {
  double smallest_pivot = 0.0;      ///< of all blocks; not positive or NaN where one failed
  double largest_multiplier = 0.0;  ///< of the cut joint
  double redundant_rows = 0.0;
};

/// Every member of a team has one of its own. Allocates nothing after construction.
class SegmentClosing {
 public:
  /// \param reports of all segments, at their place as long as this lives
  SegmentClosing(const Mechanism& mechanism, const ChainPlan& plan, const SegmentTree& tree, const ChainSweeps& sweeps,
                 std::span<SegmentReport> reports);

  /// All of it: from the reports of all segments to the answers of all.
  void close(const ClosingPass& pass);

  /// Its parts, for processes that have the reports of some stretches only. Joins what a stretch is joined of.
  void join(const ClosingPass& pass, int stretch);
  /// From the reports of whole arms to their answers and the verdict.
  void answer_arms(const ClosingPass& pass);
  /// The answers of what a stretch is joined of, from its own.
  void open(const ClosingPass& pass, int stretch);
  [[nodiscard]] SegmentReport& report(int stretch);
  [[nodiscard]] StretchAnswer& answer(int stretch) { return answers_[static_cast<std::size_t>(stretch)]; }

  /// \returns what a segment learned from the last pass.
  [[nodiscard]] const StretchAnswer& answer_of(int segment) const {
    return answers_[static_cast<std::size_t>(segment)];
  }
  [[nodiscard]] const ClosingVerdict& verdict() const { return verdict_; }
  void set_verdict(const ClosingVerdict& verdict) { verdict_ = verdict; }

 private:
  /// The handle within a joined stretch.
  struct Joint {
    kernels::ChainNode inboard;
    kernels::ClosedHandle handle;
    kernels::TipHandle tip;
  };

  [[nodiscard]] Joint& joint_of(int stretch) { return joints_[static_cast<std::size_t>(stretch - tree_->segments())]; }
  void join_nodes(int stretch, const SegmentReport& a, const SegmentReport& b);
  void join_right_sides(int stretch, const SegmentReport& a, const SegmentReport& b);
  /// \returns the ground's, in world axes: with it gravity acts.
  [[nodiscard]] Vec3 base_motion(ClosingKind kind) const;
  void set_end(std::size_t which, ClosingKind kind);
  void add_motion(std::size_t which);
  void solve_loop(const ClosingPass& pass);
  void answer_arm(std::size_t arm, const ClosingPass& pass, const Mat3& axes);

  const Mechanism* mechanism_;
  const ChainPlan* plan_;
  const SegmentTree* tree_;
  const ChainSweeps* sweeps_;
  std::span<SegmentReport> segments_;
  std::vector<SegmentReport> joined_;
  std::vector<Joint> joints_;  // of joined stretches
  std::vector<StretchAnswer> answers_;
  std::optional<LoopClosure> loop_;
  ClosingVerdict verdict_;
};

}  // namespace mbdbench
