#pragma once
/// \file
/// The groups of twins of an assembly (dual_twin_group.hpp): where its bodies and nodes are found in them.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "formulations/augmented_lagrangian/dual/twins/dual_twin_group.hpp"

namespace mbdbench {

/// Those of a whole assembly.
class TwinGroups {
 public:
  TwinGroups(const AssemblyTree& tree, const TwinPlan& plan, std::span<const double> masses);

  /// \returns those of a range.
  [[nodiscard]] std::span<TwinGroup> of(std::size_t range) {
    return std::span(groups_).subspan(first_[range], first_[range + 1] - first_[range]);
  }
  [[nodiscard]] std::span<const TwinGroup> of(std::size_t range) const {
    return std::span(groups_).subspan(first_[range], first_[range + 1] - first_[range]);
  }
  [[nodiscard]] std::span<TwinGroup> all() { return groups_; }
  /// Calls work(number) for those of a range, numbers as of `all`.
  template <typename Work>
  void for_numbers(std::size_t range, const Work& work) const {
    for (std::size_t group = first_[range]; group < first_[range + 1]; ++group) {
      work(group);
    }
  }

  /// Where a body has its numbers.
  struct Leaf {
    int group = -1;  ///< -1: it is none of them
    std::size_t node = 0;
    std::size_t lane = 0;
    std::vector<std::size_t> handles;  ///< of the node, in the order of the assembly
    std::vector<bool> stays;           ///< likewise

    [[nodiscard]] std::pair<int, std::size_t> group_and_node() const { return {group, node}; }
    /// \returns whether handles of it stay when its sub-tree is assembled.
    [[nodiscard]] bool is_at_edge() const { return std::find(stays.begin(), stays.end(), true) != stays.end(); }
  };
  /// \returns how many bodies they have.
  [[nodiscard]] std::size_t body_count() const;
  [[nodiscard]] const Leaf& leaf(int body) const { return leaves_[static_cast<std::size_t>(body)]; }
  /// B of one handle, as DualSweeps::set_handle.
  void set_handle(const Leaf& leaf, int handle, const double* directions, int row_count, double sign,
                  const double* lever) const;
  void set_inertia(const Leaf& leaf, const double* matrix) const {
    groups_[static_cast<std::size_t>(leaf.group)].set_inertia(leaf.node, leaf.lane, matrix);
  }

  /// How much of a node others see. \param place in the order of the division
  enum class Seen { whole, root, nothing };
  [[nodiscard]] Seen seen(std::size_t place) const { return seen_[place]; }

 private:
  void find_leaves(const AssemblyTree& tree);

  std::vector<TwinGroup> groups_;   // by range
  std::vector<std::size_t> first_;  // of every range, and how many there are
  std::vector<Leaf> leaves_;        // by body
  std::vector<Seen> seen_;
};

}  // namespace mbdbench
