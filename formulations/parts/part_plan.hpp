#pragma once
/// \file
/// Which way the columns of every loop take through the rows of a LinkTree, and at which link a loop is closed: where
/// the ways of its ends meet, so that a row of a tree carries the columns of the loops around it and of no others. A
/// ladder then costs as much a body as a loop; loops through the ground meet there.
///
/// Cost at set-up: O(rows + sum of the ways' lengths).
#include <vector>

#include "formulations/parts/part_data.hpp"
#include "formulations/recursion/link_tree.hpp"

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

  PartPlan(const Mechanism& mechanism, const LinkTree& tree);

  std::vector<PartRow> parts;  ///< by row
  std::vector<PassedJoint> joints;
  std::vector<LoopPass> passes;
  std::vector<int> blocks;
  std::vector<int> loop_rows;     ///< rows of every loop
  std::vector<int> loop_offsets;  ///< first of them among all closing rows
  std::vector<double> factors;
  std::vector<LoopClosing> closings;  ///< in the order of the sweep inward; that at the ground last
  std::vector<LoopCross> crosses;
  std::vector<int> closed_loops;
  std::vector<int> closed_columns;
  std::vector<End> ends;
  std::vector<std::vector<int>> ways;  ///< rows whose joints a loop passes
  int column_count = 0;                ///< places of Y
  int along_count = 0;                 ///< packs
  int product_count = 0;               ///< packs
  int half_count = 0;                  ///< numbers
  int across_count = 0;                ///< packs
  int right_count = 0;                 ///< numbers
  /// \returns the block of two loops that meet; it has to exist. \param closing of which both are loops, or one
  [[nodiscard]] LoopCross block_of(int one, int other) const;

 private:
  struct Way {
    std::vector<int> starts;  // rows whose joints are crossed first
    int meet = -1;            // the link where it is closed
  };

  void find_ways(const Mechanism& mechanism, const LinkTree& tree);
  void lay_passes(const Mechanism& mechanism, const LinkTree& tree);
  void lay_closings(const LinkTree& tree);
  int columns_at(int row, int loop);
  int block(int one, int other);

  std::vector<int> meets_;                                    // by loop
  std::vector<std::vector<int>> loops_at_;                    // by row: loops that pass its joint
  std::vector<std::vector<std::pair<int, int>>> columns_at_;  // by row: (loop, place)
  std::vector<std::vector<std::pair<int, int>>> blocks_of_;   // by the larger loop: (smaller, place)
};

/// \returns of how many directions a row's joint leaves its link free.
int direction_count(RowKind kind);

}  // namespace mbdbench
