#pragma once
/// \file
/// Which way the columns of every loop take through the rows of a LinkTree, and at which link a loop is closed: where
/// the ways of its ends meet, so that a row of a tree carries the columns of the loops around it and of no others. A
/// ladder then costs as much a body as a loop; loops through the ground meet there.
///
/// Branches of the tree (tree_division.hpp) are swept at the same time. What they add to a loop that is closed further
/// inward they leave in places of their own; the trunk takes it over.
///
/// Cost at set-up: O(rows + sum of the ways' lengths).
#include <array>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "formulations/parts/part_data.hpp"
#include "formulations/recursion/links/link_tree.hpp"

namespace mbdbench {

/// Plain data made once from a mechanism. Loops are numbered cut joints first, then couplings.
class PartPlan {
 public:
  /// Where the unit wrenches of a cut joint start.
  struct End {
    int cut = 0;
    int row = 0;
    int columns = 0;
    double sign = 1.0;
  };

  /// What a branch leaves, and where it belongs: places of packs.
  struct Handover {
    int range = 0;  ///< the branch
    int from = 0;
    int to = 0;
    int packs = 0;
  };
  /// What of a loop's way lies in the trunk or in one branch: places among the loop's `ways`.
  struct Stretch {
    int loop = 0;
    int range = 0;
    int first = 0;
    int last = 0;
  };
  /// What belongs to the trunk or a branch, in the order of LinkTree::ranges.
  struct Range {
    int first_closing = 0;  ///< in the trunk that at the ground included
    int last_closing = 0;
    int first_column = 0;
    int last_column = 0;
    int first_end = 0;
    int last_end = 0;
    int first_left = 0;  ///< among `left`
    int last_left = 0;
  };

  PartPlan(const Mechanism& mechanism, const LinkTree& tree);

  std::vector<PartRow> parts;  ///< by row
  std::vector<PassedJoint<double>> joints;
  std::vector<LoopPass> passes;
  std::vector<int> blocks;
  std::vector<int> loop_rows;     ///< rows of every loop
  std::vector<int> loop_offsets;  ///< first of them among all closing rows
  std::vector<double> factors;
  std::vector<LoopClosing> closings;  ///< in the order of the sweep inward; that at the ground last
  std::vector<LoopCross> crosses;
  std::vector<int> closed_loops;
  std::vector<int> closed_columns;
  std::vector<End> ends;  ///< by range
  std::vector<Range> ranges;
  std::vector<int> roots;  ///< rows of branches that hang on the trunk
  std::vector<Handover> columns_left;
  std::vector<Handover> products_left;
  std::vector<Handover> rates_left;
  std::vector<std::vector<int>> ways;  ///< rows whose joints a loop passes, by range
  std::vector<Stretch> stretches;      ///< by loop, then by range
  std::vector<int> first_stretch;      ///< of every loop, and one more than there are
  std::vector<int> left;               ///< by branch: stretches there of loops that are closed elsewhere
  std::vector<int> closed_in;          ///< by loop: the range of the link where it is closed, that of the ground 0
  int column_count = 0;                ///< places of Y
  int along_count = 0;                 ///< packs
  int product_count = 0;               ///< packs
  int rate_count = 0;                  ///< packs of v
  int half_count = 0;                  ///< numbers
  int across_count = 0;                ///< packs
  int right_count = 0;                 ///< numbers
  /// \returns the block of two loops that meet; it has to exist
  [[nodiscard]] LoopCross block_of(int one, int other) const;
  /// \returns the trunk (0) or the branch that a row belongs to.
  [[nodiscard]] int range_of(int row) const { return range_of_[static_cast<std::size_t>(row)]; }
  /// \returns which of the closings closes a loop that has rows.
  [[nodiscard]] std::size_t closing_of(int loop) const;
  /// \returns groups of one unit (SemidefiniteSolver) of the rows of one closing. \param all groups of all closing rows
  [[nodiscard]] std::vector<std::size_t> units_of(const std::vector<std::size_t>& all,
                                                  const LoopClosing& closing) const;

 private:
  struct Way {
    std::vector<int> starts;  // rows whose joints are crossed first
    int meet = -1;            // the link where it is closed
  };

  void find_ways(const Mechanism& mechanism, const LinkTree& tree);
  void lay_stretches();
  void lay_passes(const Mechanism& mechanism, const LinkTree& tree);
  void lay_ends(const Mechanism& mechanism, const LinkTree& tree);
  void lay_closings(const LinkTree& tree);
  void lay_columns(const LinkTree& tree);
  void divide(const LinkTree& tree);
  int columns_at(int row, int loop);
  int block(int one, int other);
  /// \returns whether a loop goes on inward from a branch.
  [[nodiscard]] bool leaves(int range, int loop) const;
  /// The places where a row's joint adds to products and rates: own ones of a branch that both loops leave.
  int block_of_row(int row, int one, int other);
  int rates_of_row(int row, int loop);

  std::vector<int> meets_;                                    // by loop
  std::vector<int> range_of_;                                 // by row
  std::vector<std::vector<int>> closed_at_;                   // by row, the ground first
  std::map<std::pair<int, int>, int> own_columns_;            // by root and loop: what goes to the trunk
  std::map<std::array<int, 3>, int> own_blocks_;              // by branch, larger and smaller loop
  std::map<std::pair<int, int>, int> own_rates_;              // by branch and loop
  std::vector<std::vector<int>> loops_at_;                    // by row: loops that pass its joint
  std::vector<std::vector<std::pair<int, int>>> columns_at_;  // by row: (loop, place)
  std::vector<std::vector<std::pair<int, int>>> blocks_of_;   // by the larger loop: (smaller, place)
};

/// \returns of how many directions a row's joint leaves its link free.
int direction_count(RowKind kind);

/// \returns by row whether impulses in loops, and prescribed changes, reach it on their way inward.
std::unique_ptr<bool[]> rows_loaded_by_loops(const LinkTree& tree, const PartPlan& plan);

/// \returns how many numbers so many packs have.
inline std::size_t doubles(int packs) {
  return static_cast<std::size_t>(packs) * kLoopLanes;
}

}  // namespace mbdbench
