#pragma once
/// \file
/// One section of a line (part_sections.cpp) by itself: the rows, loops and places of a PartPlan that belong to it,
/// numbered anew. Sections whose plans are the same are twins and go side by side, a lane a section
/// (sections_in_lanes.hpp); where each has its numbers in the whole stands apart from what they have alike.
///
/// The link that the section hangs on has the place behind its rows. Loops that are closed in the section come first,
/// then cut joints that cross its ends, then the seam of what hangs on it. Cut joints with a body beyond each end pass
/// no joint of the section themselves; behind the seam they have a way alone, by which their rows count as zero.
#include <memory>
#include <optional>
#include <vector>

#include "formulations/parts/lanes/loop_data.hpp"
#include "formulations/parts/lanes/loop_memory.hpp"
#include "formulations/parts/part_plan.hpp"

namespace mbdbench {

/// Where a section has its numbers in the whole.
struct SectionPlaces {
  std::vector<int> coordinates;       ///< of the mechanism, by the section's own
  std::vector<int> velocities;        ///< likewise
  std::vector<int> places;            ///< LinkRow::place of the velocities
  std::vector<int> loops;             ///< of the PartPlan
  std::vector<int> base_columns;      ///< places of columns at the base
  std::vector<int> left_blocks;       ///< of products of loops that leave
  std::vector<int> inner_blocks;      ///< of all others, a pack each
  std::vector<int> left_rates;        ///< of rates of loops that leave
  std::vector<int> stretches;         ///< of cut joints that cross the ends, then of those that are carried
  std::vector<int> carried;           ///< cut joints of the PartPlan whose way the seam carries through the section
  std::vector<int> crossing_ends;     ///< among PartPlan::ends
  std::vector<int> crossing_columns;  ///< where their unit wrenches start
  int first_row = 0;
  int hangs_at = 0;  ///< among PartPlan::seams
  int base = 0;      ///< place behind all rows of what the section hangs on
  int seam = 0;      ///< of what hangs on it, among PartPlan::seams
};

/// Products of two loops that leave a section.
struct LeftBlock {
  int place = 0;
  int rows = 0;
  int columns = 0;
  bool is_own = false;  ///< of a loop with itself: lanes have its lower triangle
};

/// Plain data.
struct SectionPlan {
  /// \returns the plan of a range of a tree in sections; nothing where lanes do not know something of it, or not
  /// exactly one section hangs on it. \param most by closing: limits of the rank
  static std::optional<SectionPlan> of(const Mechanism& mechanism, const LinkTree& tree, const PartPlan& plan,
                                       std::size_t range, const std::vector<int>& most);
  /// \returns whether both are the same, to the last bit of every constant.
  [[nodiscard]] bool is_twin_of(const SectionPlan& other) const;
  /// Sets all that is no memory of packs.
  void point_at_constants(LoopData& data) const;

  std::vector<LinkRow> rows;
  std::vector<kernels::LinkConstants<double>> links;
  std::vector<SphericalConstants> spherical;
  std::vector<kernels::RunStart<double>> starts;
  std::vector<double> angles;
  std::vector<double> offsets;
  std::vector<PartRow> parts;
  std::vector<LoopPass> passes;
  std::vector<PassedJoint<double>> joints;
  std::vector<int> blocks;
  std::vector<int> loop_rows;
  std::vector<LoopClosing> closings;
  std::vector<LoopCross> crosses;
  std::vector<int> closed_loops;
  std::vector<int> closed_columns;
  std::vector<LaneClosing> limits;
  std::vector<int> closing_blocks;
  std::vector<int> units;
  std::vector<LaneCut> cuts;  ///< of all loops; nothing of the seam, and of those that are carried units alone
  std::vector<int> columns_a;
  std::vector<int> columns_b;
  std::vector<int> ways;
  std::vector<int> way_starts;
  std::vector<int> end_rows;
  std::vector<int> loaded_rows;
  std::vector<int> cleared_rows;
  std::vector<int> cleared_columns;
  std::vector<int> base_columns;      ///< places of columns at the base
  std::vector<int> base_column_rows;  ///< and how many rows each has
  std::vector<LeftBlock> left_blocks;
  std::vector<int> left_rates;        ///< places of rates of loops that leave
  std::vector<int> crossing_columns;  ///< where unit wrenches of crossing cut joints start
  std::vector<int> crossing_loops;    ///< and whose they are
  std::vector<int> crossing_rows;     ///< and on which links
  std::unique_ptr<bool[]> loaded;
  std::unique_ptr<bool[]> posed;   ///< rows whose poses are needed
  std::unique_ptr<bool[]> kept;    ///< and read again
  std::unique_ptr<bool[]> on_way;  ///< rows on the way to the link that the next section hangs on
  std::unique_ptr<bool[]> at_end;  ///< that link alone
  LoopSizes sizes;
  int closed_count = 0;    ///< loops that are closed in the section
  int crossing_count = 0;  ///< cut joints that cross its ends
  int carried_count = 0;   ///< cut joints that pass none of its joints but are beyond both ends
  int seam_row = 0;        ///< the link that the next section hangs on
  int seam_columns = 0;    ///< where its unit wrenches start
  int last_closing = -1;   ///< the outermost row where loops are closed
  int q_count = 0;
  int u_count = 0;
  SectionPlaces own;
};

}  // namespace mbdbench
