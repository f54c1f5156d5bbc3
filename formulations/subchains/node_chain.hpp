#pragma once
/// \file
/// Neighbouring nodes with two handles each, closed one after the other from the outboard end inward, and opened again
/// outward: the lanes of a segment, or the segments of an arm.
#include <vector>

#include "formulations/subchains/chains/chain_block.hpp"

namespace mbdbench {

/// Nodes in a row and what closing them leaves. Allocates nothing after construction.
class NodeChain {
 public:
  explicit NodeChain(std::size_t nodes)
      : nodes_(nodes), handles_(nodes), tips_(nodes), motions_(nodes), wrenches_(nodes) {}

  [[nodiscard]] kernels::ChainNode* nodes() { return nodes_.data(); }

  /// Closes the handles between nodes [first, last). \param outboard, tip the last node (`begin` makes them of it) on
  /// entry, all of them on return; tip null: F' = 0 at their distal handle
  void close(const ChainSweeps& sweeps, std::size_t first, std::size_t last, kernels::OutboardNode& outboard,
             kernels::TipRows* tip);
  /// A node by itself as `close` takes it. \param tip may be null
  void begin(std::size_t node, kernels::OutboardNode& outboard, kernels::TipRows* tip) const;
  /// Another right side of the same matrices, after `close`: f and v of the nodes have been set anew. \param wrench f
  /// of the last node on entry, of all on return \param tip its column -v likewise, null as before
  void close_again(std::size_t first, std::size_t last, kernels::Row& wrench, kernels::TipRows* tip);
  /// A node's right side by itself as `close_again` takes it.
  void begin_again(std::size_t node, kernels::Row& wrench, kernels::TipRows* tip) const;
  /// The way outward. \param motion of the first node's proximal handle \param tip_wrench F' of the last node, 0 if
  /// `close` was called without `tip`
  void open(const ChainSweeps& sweeps, std::size_t first, std::size_t last, const kernels::Row& motion,
            const kernels::Row& tip_wrench, bool with_tip);

  /// \returns V at a node's proximal handle.
  [[nodiscard]] const kernels::Row& motion(std::size_t node) const { return motions_[node]; }
  /// \returns F' at its distal handle.
  [[nodiscard]] const kernels::Row& wrench(std::size_t node) const { return wrenches_[node]; }

 private:
  std::vector<kernels::ChainNode> nodes_;
  std::vector<kernels::ClosedHandle> handles_;
  std::vector<kernels::TipHandle> tips_;
  std::vector<kernels::Row> motions_;
  std::vector<kernels::Row> wrenches_;
};

/// What a segment's lanes do to vectors that cross them: what is known before its handles are.
struct SegmentScan {
  TurnScan<double> scan{};                   ///< over all its lanes
  kernels::SineCosine<double> first_turn{};  ///< of its first link
};

/// A segment as others see it: plain data of one size, all that is exchanged. The handle between two segments of an arm
/// is the frame of the outboard one's first link before its joint's angle: no segment needs an angle of another one,
/// and its last lane is swept as if that angle were zero. Elsewhere handles lie behind the angle
/// (kernels/chain_links.hpp).
struct SegmentReport : SegmentScan {
  kernels::OutboardNode node{};         ///< K, f
  kernels::TipRows tip{};               ///< X and C with -v; zero where nothing goes on outboard
  kernels::LinkVector<double> lever{};  ///< over all its lanes, where a cut joint asks
  kernels::LinkVector<double> drift{};  ///< linear velocity over all its lanes (projected velocities)
  double fastest = 0.0;                 ///< the largest rate of its joints (tangent gauge), 1/s
  double smallest_pivot = 0.0;          ///< of its block; NaN when the block has a state with NaN
};

/// \returns the segment as a node of its arm.
kernels::ChainNode node_of(const SegmentReport& report);

/// The right sides of kernels/closing.hpp and tip_columns.hpp: a handle closed before, with other f and v.
/// \param outboard f of everything outboard of the handle on entry, outboard of A's handle on return
/// \param tip its column -v likewise, null where F' = 0 at the distal handle
void close_handle_again(const kernels::ChainNode& a, kernels::ClosedHandle& handle, const kernels::TipHandle& kept,
                        kernels::Row& outboard, kernels::TipRows* tip);

}  // namespace mbdbench
