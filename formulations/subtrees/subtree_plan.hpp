#pragma once
/// \file
/// How a tree is divided: groups of sub-trees of equal form, one a lane, and the trunk that they hang on. Plain data;
/// it depends on the mechanism alone.
#include <span>
#include <string>
#include <vector>

#include "formulations/subtrees/tree_form.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// \returns why sub-trees in lanes cannot treat the mechanism, empty if they can: then it depends on how many of them
/// have the same form.
std::string refuse_for_subtrees(const Mechanism& mechanism);

/// Where a lane hangs: on a link of the trunk, or on the ground.
struct TreePort {
  int trunk_slot = -1;  ///< -1: the ground
  kernels::RunStart<double> start{1.0, 0.0, 0.0};
  kernels::LinkVector<double> gravity{};  ///< in the start frame; ground only
};

/// Sub-trees of equal form. The first slot of the form is that of the links which its lanes hang on.
struct SubtreeGroup {
  TreeForm form;
  std::vector<TreePort> ports;  ///< by lane
};

/// A tree of any joints in frames for recursions, divided.
class SubtreePlan {
 public:
  /// Lanes of a group are a multiple of one of these.
  static constexpr std::size_t kManyLanes = 8;
  static constexpr std::size_t kFewLanes = 4;

  /// \param mechanism that is not refused
  explicit SubtreePlan(const Mechanism& mechanism);

  [[nodiscard]] const LinkTree& tree() const { return tree_; }
  /// \returns what is in no group, one lane.
  [[nodiscard]] const TreeForm& trunk() const { return trunk_; }
  [[nodiscard]] std::span<const SubtreeGroup> groups() const { return groups_; }
  /// \returns the costs of the trunk and of the blocks of so many lanes that groups fall into, ns about.
  [[nodiscard]] std::vector<double> costs(std::size_t lanes) const;
  /// \returns what all of it costs beside one recursion over the whole tree, in blocks of four lanes, about.
  [[nodiscard]] double relative_cost() const;

 private:
  void find_children();
  void find_forms();
  /// \returns the roots of the next group: those that cover most rows; empty when there is none.
  /// \param least fewest roots \param multiple their number is a multiple of it
  [[nodiscard]] std::vector<int> next_group(std::size_t least, std::size_t multiple) const;
  void cover(std::span<const int> roots);
  /// Where the next row and the next run of a form stand.
  struct NextPlace {
    int row = 0;
    std::size_t run = 0;
  };
  void add_run(TreeForm& form, int lane, int root, int slot, const kernels::RunStart<double>& start, NextPlace& next);
  void build_group(std::span<const int> roots);
  void build_trunk();
  [[nodiscard]] TreePort port_of(int root);
  int trunk_slot_of(int row);

  LinkTree tree_;
  TreeForm trunk_;
  std::vector<SubtreeGroup> groups_;
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
