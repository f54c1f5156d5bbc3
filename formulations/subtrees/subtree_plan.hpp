#pragma once
/// \file
/// How a tree is divided: groups of eight sub-trees of equal form, one a lane, and the trunk that they hang on. Plain
/// data; it depends on the mechanism alone.
#include <array>
#include <span>
#include <string>
#include <vector>

#include "formulations/recursion/links/link_tree.hpp"
#include "formulations/subtrees/tree_block.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// \returns why sub-trees in lanes cannot treat the mechanism, empty if they can.
std::string refuse_for_subtrees(const Mechanism& mechanism);

/// Where a lane of a block hangs: on a link of the trunk, or on the ground.
struct TreePort {
  int trunk_slot = 0;  ///< those of the ground first (SubtreePlan::ground_runs)
  kernels::RunStart<double> start{1.0, 0.0, 0.0};
};

/// Rows of equal form, one or eight trees of them.
struct TreeForm {
  std::vector<TreeRun> runs;
  std::vector<int> slot_of_row;
  int slots = 0;
  int lanes = 1;
  std::vector<int> rows;                          ///< of the LinkTree: row i of lane l at [i * lanes + l]
  std::vector<kernels::RunStart<double>> starts;  ///< run r of lane l at [r * lanes + l]
  [[nodiscard]] int size() const { return static_cast<int>(slot_of_row.size()); }
};

/// A tree of revolute joints in frames for recursions, divided.
class SubtreePlan {
 public:
  static constexpr int kLanes = 8;

  /// \throws ModelError if the mechanism is refused
  explicit SubtreePlan(const Mechanism& mechanism);

  [[nodiscard]] const LinkTree& tree() const { return tree_; }
  /// \returns one lane; its first slots are those of the ground, one a run that starts there.
  [[nodiscard]] const TreeForm& trunk() const { return trunk_; }
  /// \returns the blocks; the first slot of each is that of the links which its lanes hang on.
  [[nodiscard]] std::span<const TreeForm> blocks() const { return blocks_; }
  [[nodiscard]] std::span<const std::array<TreePort, kLanes>> ports() const { return ports_; }
  /// \returns the runs of the tree that start at the ground, in the order of the trunk's first slots.
  [[nodiscard]] std::span<const int> ground_runs() const { return ground_runs_; }

 private:
  void find_children();
  void find_forms();
  /// \returns the roots of the next group, eight at a time: those that cover most rows; empty when there is none.
  /// \param least so many roots at least
  [[nodiscard]] std::vector<int> next_group(std::size_t least) const;
  void cover(std::span<const int> roots);
  void add_run(TreeForm& form, int lane, int root, int slot, const kernels::RunStart<double>& start, int& row);
  void build_blocks(std::span<const int> roots);
  void build_trunk();
  [[nodiscard]] TreePort port_of(int root);
  int trunk_slot_of(int row);

  LinkTree tree_;
  TreeForm trunk_;
  std::vector<TreeForm> blocks_;
  std::vector<std::array<TreePort, kLanes>> ports_;
  std::vector<int> ground_runs_;
  // Set-up only, by row.
  std::vector<int> parent_;                 // -1: the ground
  std::vector<int> run_of_;                 // that starts at the row, or -1
  std::vector<std::vector<int>> children_;  // the one that continues the run first
  std::vector<int> form_;
  std::vector<int> size_;
  std::vector<char> covered_;
  std::vector<char> above_covered_;  // some row outboard of it is covered
  std::vector<int> trunk_row_;       // place in the trunk
};

}  // namespace mbdbench
