#pragma once
/// \file
/// Trees of equal form as plain data: the rows of one of them, and which row of the whole tree each lane has there.
#include <vector>

#include "formulations/batches/lane_memory.hpp"
#include "formulations/recursion/links/link_tree.hpp"

namespace mbdbench {

/// One tree, the trunk, or several of equal form. Coordinates, velocities and slots are numbered within the form.
struct TreeForm {
  /// Appends a row of the tree.
  void add(const LinkRow& row);
  /// Those of all runs, once all rows are there.
  void finish() { segments = divide_into_segments(rows, runs); }

  int lanes = 1;
  std::vector<LinkRow> rows;
  std::vector<LinkRun> runs;
  std::vector<LinkSegment> segments;
  int slots = 0;
  int q_count = 0;
  int u_count = 0;
  SharedRows shared;
  std::vector<int> members;                       ///< of the LinkTree: row i of lane l at [i * lanes + l]
  std::vector<kernels::RunStart<double>> starts;  ///< run r of lane l at [r * lanes + l]
};

/// \returns how many coordinates and how many quasi-velocities a row has.
int coordinates_of(RowKind kind);
int velocities_of(RowKind kind);

}  // namespace mbdbench
