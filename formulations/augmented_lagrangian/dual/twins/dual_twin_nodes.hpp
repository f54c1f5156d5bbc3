#pragma once
/// \file
/// Eight sub-trees of an assembly side by side (dual_twins.hpp) as their sweeps see them (dual_twin_sweeps.hpp): every
/// number is a pack of eight, one a lane. Names are those of DualNode.
namespace mbdbench {

/// Numbers of a body, in packs: 1 / m, then J_C^-1 (xx, xy, xz, yy, yz, zz).
inline constexpr int kTwinInertia = 7;

/// B of one handle. If a joint holds a point, its first three rows are the forces on that point along the world axes,
/// and all others are torques: nothing else of B is kept then.
struct TwinHandle {
  int first_row = 0;
  int row_count = 0;
  double sign = 0.0;          ///< of a point: +1 on body b, -1 on a; 0: rows of any kind
  double* numbers = nullptr;  ///< six a row, or the point minus the centre of mass and then three a torque
};

/// A leaf, or a union of two children.
struct TwinNode {
  int body = -1;
  int row_count = 0;
  int closed_rows = 0;  ///< the first ones
  int child_counts[2] = {};
  int children[2] = {-1, -1};
  const int* child_rows[2] = {};  ///< of every row that a child leaves: which one it is here
  const int* places = nullptr;    ///< of every row among the multipliers
  int handle_count = 0;
  const TwinHandle* handles = nullptr;  ///< of a leaf, in the order of its rows
  double* inertia_inverse = nullptr;    ///< of a leaf, kTwinInertia
  double* schur = nullptr;              ///< Xi^C, lower triangle, row by row; gone when the parent is made
  double* inverse = nullptr;            ///< S, its lower triangle column by column
  double* gain = nullptr;               ///< K^T, row by row
  double* right = nullptr;              ///< xi_0; then xi_0J - r_J in the closed rows
};

/// The sub-trees.
struct TwinTrees {
  const TwinNode* nodes = nullptr;  ///< children first, the root last
  int node_count = 0;
  int body_count = 0;
  int closed_rows = 0;  ///< within: the first multipliers; those of handles that stay stand behind them
  int row_count = 0;
  double* front = nullptr;   ///< workspace: F, lower triangle in rows of the largest node
  double* scaled = nullptr;  ///< L D, and
  double* lower = nullptr;   ///< L, so many columns as rows are closed at most
  double* pivots = nullptr;  ///< D of the last node
};

/// Vectors of eight sub-trees: packs by row of the multipliers, and six packs a body.
struct TwinVectors {
  double* multipliers = nullptr;
  double* bodies = nullptr;
};

}  // namespace mbdbench
