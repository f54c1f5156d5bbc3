#pragma once
/// \file
/// Which steps of a tree threads can do side by side: the tree falls into a *trunk*, which holds on to the ground, and
/// *branches*, each a set of whole sub-trees of about equal cost that hang on the trunk or on the ground. A sub-tree
/// has no unknown wrench at its outboard end, so that a recursion pays nothing for the division.
///
/// A line has no sub-trees beside one another. It can be divided into *sections*: connected pieces of it, all of them
/// branches. One of them holds on to the ground; of every other one the first link hangs on a link of a section further
/// inward, and there a recursion pays for six unknowns (parts/part_sections.cpp).
///
/// Both are made from the mechanism alone, never from the number of threads, so that results have the same bits on any.
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

/// So many sections of equal form go side by side.
inline constexpr int kTwinsTogether = 8;
/// In the place of a number of bodies: sections of equal form (twins), as many as pay off.
inline constexpr int kSectionsInLanes = -1;

/// Plain data, by element of LinkElements.
struct TreeDivision {
  std::vector<int> branch_of;  ///< 0: the trunk; 1 and more: a branch. Empty: the tree is one piece
  std::vector<double> costs;   ///< of the branches, ns about
  int twins = 0;               ///< sections 2 .. twins + 1 are to be alike, kTwinsTogether of them side by side

  TreeDivision() = default;
  /// Cost at set-up: O(n log n + sum of the lengths of all loops).
  TreeDivision(const Mechanism& mechanism, const LinkElements& elements);
};

/// What an element costs in all sweeps of a right-hand side, and how many loops pass its joint.
struct ElementCost {
  double sweeps = 0.0;  ///< ns about, columns of loops included: measured shares, not times of a machine
  int loops = 0;
};

/// \returns the costs of all elements.
std::vector<ElementCost> element_costs(const Mechanism& mechanism, const LinkElements& elements);

/// \returns sections of about so many bodies each, inboard ones first, of about equal cost; empty where the mechanism
/// has too few bodies for two, or no link on which one could hang. Cost at set-up: O(n log n + sum of the lengths of
/// all loops). \param bodies at least 1
TreeDivision in_sections(const Mechanism& mechanism, const LinkElements& elements, int bodies);

/// \returns sections of a line that repeats itself: one at the ground, a multiple of kTwinsTogether with the same steps
/// and bodies in the same places, and what is left; empty where the line does not, or is too short to gain. Cost at
/// set-up: O(n P), P the elements of what repeats itself.
TreeDivision in_twin_sections(const Mechanism& mechanism, const LinkElements& elements);

/// \returns by element whether a section may hang on it: a link on which one hangs is eliminated without it, and needs
/// an inertia of its own about its joint.
std::vector<bool> section_carriers(const Mechanism& mechanism, const LinkElements& tree);

/// \returns the sections that begin at some elements, inboard ones first; the first one begins at the ground.
TreeDivision divided_at(const std::vector<int>& begins, const LinkElements& elements,
                        const std::vector<ElementCost>& costs);

}  // namespace mbdbench
