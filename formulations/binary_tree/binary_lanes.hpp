#pragma once
/// \file
/// The blocks of binary trees in memory: constants of the leaves, and what the lanes and the nodes above them tell each
/// other.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formulations/binary_tree/binary_block.hpp"
#include "formulations/subchains/chains/chain_lanes.hpp"

namespace mbdbench {

/// \returns why bodies as leaves cannot go side by side in lanes, empty if they can.
std::string refuse_for_binary_tree(const Mechanism& mechanism);

/// Owner of the arrays. Allocates nothing after construction.
class BinaryLanes {
 public:
  /// \param lanes those that are held here; must outlive these
  BinaryLanes(const ChainPlan& plan, const ChainLanes& lanes);

  [[nodiscard]] const BinaryBlock& block(int b) const {
    return blocks_[static_cast<std::size_t>(b - held_->share().blocks.first)];
  }
  /// Numbers (p, tau) of the links behind a block's lanes. \param values where `lanes` place them
  /// \param beyond that of the first link that is held elsewhere
  void set_behind(int b, std::span<const double> values, double beyond) const;
  /// \returns a lane as one node, after its sweep.
  [[nodiscard]] kernels::TwoHandles<double> node(int lane) const;
  /// Multipliers of a lane's first and last handle, five each.
  void set_ends(int lane, const double* first, const double* last) const;
  /// \returns the motion about z that a lane's last link gives the next one.
  [[nodiscard]] double distal(int lane) const;

 private:
  void allot(BinaryBlock& block);
  void set_leaves(int lane) const;

  const ChainPlan* plan_;
  const ChainLanes* held_;
  std::vector<BinaryStep> steps_;
  std::vector<BinaryBlock> blocks_;
  std::vector<AlignedMemory> memory_;
};

}  // namespace mbdbench
