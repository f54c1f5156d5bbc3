#pragma once
/// \file
/// Sub-trees of an assembly that have equal form, eight at a time: one a lane, they go through the same arithmetic side
/// by side (dual_twin_sweeps.hpp). Chains, loops, ladders, rings and balanced trees are made of them.
///
/// Two sub-trees have equal form if they join bodies with as many handles of as many rows in the same order; handles
/// that stay may be named in another one.
#include <array>
#include <vector>

#include "formulations/assembly/assembly_division.hpp"

namespace mbdbench {

/// Sub-trees side by side.
inline constexpr std::size_t kTwins = 8;

/// Eight of equal form.
struct TwinForm {
  /// A leaf or a union of two children, as AssemblyNode.
  struct Node {
    int body = -1;                        ///< within the sub-tree
    std::array<int, 2> children{-1, -1};  ///< within the sub-tree, before it
    std::vector<int> joints;              ///< within the sub-tree, closed ones first
    std::size_t closed = 0;               ///< how many of them are closed here
  };
  /// What a lane's sub-tree is made of, by numbers within it.
  struct Lane {
    std::vector<int> bodies;
    std::vector<int> joints;
    std::vector<int> nodes;  ///< places in the order of the division
  };

  std::size_t range = 0;    ///< of the division
  std::vector<Node> nodes;  ///< children first, the root last
  std::vector<int> rows;    ///< of every joint
  std::array<Lane, kTwins> lanes;
};

/// A division of an assembly, and its twins.
struct TwinPlan {
  AssemblyDivision division;
  std::vector<TwinForm> groups;  ///< by range
};

/// If sub-trees of equal form hold most bodies, every group of eight is a branch, and what is left over is two more.
/// Otherwise the branches are those of the assembly's own division, and groups what these have.
TwinPlan plan_twins(const AssemblyTree& tree);

}  // namespace mbdbench
