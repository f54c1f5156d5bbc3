#pragma once
/// \file
/// Which nodes of an assembly tree threads can do side by side: whole sub-trees, the *branches*, and the *top* that
/// joins them. An assembly tree is balanced whatever the mechanism is, so chains, loops, ladders and trees all divide.
///
/// It is made from the mechanism alone, never from the number of threads, so that results have the same bits on any.
#include <vector>

#include "formulations/assembly/assembly_tree.hpp"

namespace mbdbench {

/// Nodes between two places of AssemblyDivision::order.
struct NodeRange {
  std::size_t first = 0;
  std::size_t last = 0;  ///< behind the last
  double cost = 0.0;     ///< ns about
};

/// Cost at set-up: O(n).
struct AssemblyDivision {
  /// Nodes: those of one branch after another, then those of the top. Within a range each stands right behind those
  /// below it: what a subassembly leaves is used while it is still in cache.
  std::vector<int> order;
  std::vector<NodeRange> ranges;  ///< the top, then the branches; the top alone where nothing is divided

  explicit AssemblyDivision(const AssemblyTree& tree);
  /// \param branches their roots; taken where two threads then gain enough
  AssemblyDivision(const AssemblyTree& tree, std::vector<std::vector<int>> branches);

  [[nodiscard]] std::vector<double> costs() const;
};

}  // namespace mbdbench
