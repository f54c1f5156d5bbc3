#pragma once
/// \file
/// Which way the columns of every loop take through the rows of a LinkTree, and at which link a loop is closed: where
/// the ways of its ends meet, so that a row of a tree carries the columns of the loops around it and of no others. A
/// ladder then costs as much a body as a loop; loops through the ground meet there.
///
/// Branches of the tree (tree_division.hpp) are swept at the same time. What they add to a loop that is closed further
/// inward they leave in places of their own; the trunk takes it over.
///
/// Of a line in sections, each is a branch that hangs on another one. A *seam* stands for what hangs on a link: a loop
/// of six rows, the wrench about O of the link, which goes inward to the base of its section. A loop with ends in
/// several sections goes inward to the base of the section where it meets (to the ground in the first one) and is
/// closed there, after the seams. part_sections.cpp does all that at the bases.
///
/// Cost at set-up: O(rows + sum of the ways' lengths).
#include <array>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "formulations/parts/part_data.hpp"
#include "formulations/recursion/links/link_poses.hpp"

namespace mbdbench {

/// What a stretch of a loop's way adds to the sums by which rows of the loop count as zero
/// (PartRecursion::set_negligible).
struct StretchSize {
  double slides = 0.0;
  double turns = 0.0;
  double levers = 0.0;
  double factors = 0.0;  ///< couplings have nothing else
};

/// What nobody puts anything in on the way inward, so that it starts with nothing.
struct FirstArrivals {
  std::vector<int> rows;
  std::vector<int> columns;
};

/// Notes who is the first in a place, in the order of the sweep inward: nothing needs to be cleared there.
/// \param receivers of inertia and wrenches: rows, perhaps a place behind them \param written by place of columns,
/// whether ends of loops stand there
FirstArrivals mark_arrivals(std::span<PartRow> parts, std::span<LoopPass> passes, int receivers,
                            std::vector<bool> written);

/// Plain data made once from a mechanism. Loops are numbered cut joints first, then couplings.
class PartPlan {
 public:
  /// Where the unit wrenches of a cut joint start.
  struct End {
    int cut = 0;
    int row = 0;
    int columns = 0;
    double sign = 1.0;
    bool adds = true;  ///< whether something is in that place, as in LoopPass
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
  /// A section that hangs on a link of another one.
  struct Seam {
    int range = 0;    ///< of the other one
    int row = 0;      ///< the link
    int child = 0;    ///< what hangs there leaves inertia and wrench at this place behind all rows, and moves with it
    int loop = 0;     ///< that stands for it
    int columns = 0;  ///< at the link, where they are unit wrenches
    int base = 0;     ///< the same at the base of the section
    std::vector<LinkPoses::WayStep> way;  ///< from the ground to the link
  };
  /// What happens at the base of a section, one after another: a seam, or a closing of loops.
  struct Step {
    int closing = 0;
    int seam = -1;          ///< among `seams`; -1: loops are closed
    std::vector<int> left;  ///< of a seam, by loop that goes on: its columns at the base of what hangs there; -1: none
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
    int first_child = 0;  ///< among `children`
    int last_child = 0;
  };

  PartPlan(const Mechanism& mechanism, const LinkTree& tree);

  std::vector<PartRow> parts;  ///< by row, then by step
  std::vector<PassedJoint<double>> joints;
  std::vector<LoopPass> passes;
  std::vector<int> blocks;
  std::vector<int> loop_rows;     ///< rows of every loop that are kept
  std::vector<int> loop_offsets;  ///< its first row among all closing rows
  std::vector<int> kept_rows;     ///< by closing row: where the j-th of a loop that is kept is, at its offset + j
  std::vector<double> factors;
  std::vector<LoopClosing> closings;  ///< in the order of the sweep inward, that at the ground; then those of steps
  std::size_t solver_count = 0;       ///< closings but for seams, which are last
  int ground = -1;                    ///< which closing is that at the ground; -1: none
  std::vector<LoopCross> crosses;
  std::vector<int> closed_loops;
  std::vector<int> closed_columns;
  std::vector<End> ends;  ///< by range
  std::vector<Range> ranges;
  std::vector<Seam> seams;
  std::vector<Step> steps;             ///< outboard sections first
  std::vector<int> children;           ///< by section: those that hang on it, among `roots`
  std::vector<Handover> base_columns;  ///< of sections: what their rows put at their own base
  std::vector<int> roots;              ///< rows of branches that hang on the trunk or on another section
  std::vector<Handover> columns_left;
  std::vector<Handover> products_left;
  std::vector<Handover> rates_left;
  std::vector<std::vector<int>> ways;  ///< rows whose joints a loop passes, by range
  std::vector<Stretch> stretches;      ///< by loop, then by range
  std::vector<int> first_stretch;      ///< of every loop, and one more than there are
  std::vector<int> left;               ///< by branch: stretches there of loops that are closed elsewhere
  std::vector<int> closed_in;          ///< by loop: the range of the link where it is closed, that of the ground 0
  /// Rows that get inertia of their own alone, and places of Y that start with nothing: those of couplings. With
  /// branches none is listed, and everything is cleared.
  std::vector<int> cleared_rows;
  std::vector<int> cleared_columns;
  int column_count = 0;   ///< places of Y
  int along_count = 0;    ///< packs
  int product_count = 0;  ///< packs
  int rate_count = 0;     ///< packs of v
  int half_count = 0;     ///< numbers
  int across_count = 0;   ///< packs
  int right_count = 0;    ///< numbers
  /// Leaves out rows of cut joints. \param is_kept by closing row
  void keep_rows(const std::vector<bool>& is_kept);
  /// \returns the number of the j-th row of a loop among all closing rows.
  [[nodiscard]] int row_number(std::size_t loop, int j) const {
    return kept_rows[static_cast<std::size_t>(loop_offsets[loop] + j)];
  }
  /// \returns the same among those of its cut joint.
  [[nodiscard]] int column_of(std::size_t cut, int j) const { return row_number(cut, j) - loop_offsets[cut]; }
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
  static constexpr int kAtBase = -2;

  void find_ways(const Mechanism& mechanism, const LinkTree& tree);
  /// The way of a loop through the joints from some rows on. \param meet the link where it is closed
  void add_loop(const LinkTree& tree, int loop, const std::vector<int>& starts, int meet);
  /// The same where a loop of sections has an end in another one than that where it meets.
  void add_crossing_loop(const LinkTree& tree, int loop, const std::vector<int>& starts, int meet);
  [[nodiscard]] bool crosses_seams(const std::vector<int>& starts, int meet) const;
  void pass_joint(int row, int loop);
  /// Passes all joints from a row to the base of its section.
  void pass_to_base(const LinkTree& tree, int row, int loop);
  void add_seams(const LinkTree& tree);
  void lay_ways_to_seams(const LinkTree& tree);
  void lay_bases(const LinkTree& tree);
  void lay_steps();
  void lay_step(int section, Step& step);
  /// \returns the closing of some loops at the base of a section, from which others go on.
  LoopClosing closing_at_base(int section, const std::vector<int>& loops, const std::vector<int>& open);
  [[nodiscard]] int columns_at_base(int section, int loop) const;
  /// Place of a section's base behind all rows; of the first one, at the ground, of what nobody reads.
  [[nodiscard]] int base_of(int section) const;
  /// Places of what a closing of these loops needs. \param columns place of a loop's columns there
  template <typename ColumnsOf>
  void fill_closing(LoopClosing& closing, const std::vector<int>& loops, const ColumnsOf& columns);
  /// The same for the loops that go on, in passes of its part.
  void fill_crosses(LoopClosing& closing, const std::vector<int>& loops);
  /// Who is the first in its place: nothing needs to be cleared there. Branches clear everything.
  void mark_first_arrivals(const LinkTree& tree);
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

  std::vector<int> meets_;     // by loop; kAtBase: at the base of a section
  std::vector<int> meets_in_;  // the section, of those
  bool in_sections_ = false;
  int row_count_ = 0;
  int ground_columns_ = -1;                                   // place of columns that end at the ground
  std::vector<std::vector<std::pair<int, int>>> at_base_;     // by section: (loop, place of columns), loops in order
  std::vector<std::vector<int>> closed_at_base_;              // by section
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
