#pragma once
/// \file
/// Which steps of a tree threads can do side by side: the tree falls into a *trunk*, which holds on to the ground, and
/// *branches*, each a set of whole sub-trees of about equal cost that hang on the trunk or on the ground. A sub-tree
/// has no unknown wrench at its outboard end, so that a recursion pays nothing for the division.
///
/// It is made from the mechanism alone, never from the number of threads, so that results have the same bits on any.
#include <cstdint>
#include <vector>

#include "formulations/recursion/links/link_elements.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// How the rows of a tree are laid out.
enum class TreeLayout : std::uint8_t {
  whole,           ///< in one piece
  branches,        ///< in branches where that is worth it
  shared_branches  ///< the same for several threads, each of which writes into its own memory
};

/// Plain data, by element of LinkElements.
struct TreeDivision {
  std::vector<int> branch_of;  ///< 0: the trunk; 1 and more: a branch. Empty: the tree is one piece
  std::vector<double> costs;   ///< of the branches, ns about

  TreeDivision() = default;
  /// Cost at set-up: O(n log n + sum of the lengths of all loops).
  TreeDivision(const Mechanism& mechanism, const LinkElements& elements);
};

}  // namespace mbdbench
