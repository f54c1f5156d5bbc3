#pragma once
/// \file
/// The arrays of one TreeForm: constants of the links, and the way of states into lanes and of results out.
#include <span>
#include <vector>

#include "formulations/kernels/aligned_memory.hpp"
#include "formulations/subtrees/subtree_plan.hpp"

namespace mbdbench {

/// Owner of a TreeBlock's arrays. Allocates nothing after construction.
class TreeLanes {
 public:
  TreeLanes(const LinkTree& tree, const TreeForm& form);

  [[nodiscard]] const TreeBlock& block() const { return block_; }
  /// Sines and cosines at q.
  void set_turns(const TreeSweeps& sweeps, std::span<const double> q) const;
  /// Numbers of a vector, by coordinate, into an array of the block, and back.
  void scatter(std::span<const double> values, double* TreeBlock::*array) const;
  void gather(double* TreeBlock::*array, std::span<double> values) const;
  /// One lane of a slot, read or written as a whole.
  [[nodiscard]] TreeSlot<double> slot(int slot, int lane) const;
  void set_slot(int slot, int lane, const TreeSlot<double>& value) const;

 private:
  TreeForm form_;
  std::vector<int> coordinates_;  // as form_.rows
  TreeBlock block_;
  std::vector<AlignedMemory> memory_;
};

}  // namespace mbdbench
