#pragma once
/// \file
/// The way of the unit wrenches of cut joints from their bodies inward as plain data, for a sweep that is compiled once
/// an instruction set (column_sweep.hpp).
///
/// The wrenches of the rows of one cut joint stand side by side in a pack: six packs of eight numbers, of which the
/// joint's nc rows are used and the others are zero.

namespace mbdbench {

/// Lanes of a pack: the rows of one cut joint, at most six.
inline constexpr int kColumns = 8;

/// One free direction of a joint, eliminated after those before it: y = Y[component], Y -= gain y.
struct ColumnStep {
  int component = 5;     ///< 0..2 force, 3..5 moment
  double gain[6]{};      ///< U / D without its entry at the component, which is 1
  double inverse = 0.0;  ///< 1 / D
};

/// One cut joint's wrenches at one link.
struct ColumnPass {
  int cut = 0;
  int wrench = 0;   ///< their place among all wrenches (6 packs each)
  int inward = -1;  ///< that of the same cut joint at the inboard link; -1: they end here
  int along = 0;    ///< place of y of the first step (a pack each)
};

/// One link that wrenches pass.
struct ColumnLink {
  double rotation[9]{};  ///< the link's axes in the inboard link's, row by row
  double way[3]{};       ///< O_k in the inboard link's frame
  ColumnStep steps[6]{};
  int step_count = 0;
  int first_pass = 0;
  int last_pass = 0;
  int first_block = 0;  ///< among `blocks`: for every pass p and every q <= p
};

/// Everything that a sweep works on.
struct ColumnPlan {
  const ColumnLink* links = nullptr;  ///< outboard ones first
  int link_count = 0;
  const ColumnPass* passes = nullptr;
  const int* blocks = nullptr;  ///< where A gets what two cut joints have in common: the first of nc packs
  const int* rows = nullptr;    ///< nc of every cut joint
};

/// Carries all wrenches inward and adds y y^T / D of every joint to A. All memory is aligned to 64 bytes.
/// \param wrenches those at the bodies of the cut joints, zeros elsewhere; receive those of all links
/// \param along receives y \param a blocks of A, added to
using ColumnSweep = void (*)(const ColumnPlan& plan, double* wrenches, double* along, double* a);

/// One an instruction set.
void baseline_column_sweep(const ColumnPlan& plan, double* wrenches, double* along, double* a);
void avx2_column_sweep(const ColumnPlan& plan, double* wrenches, double* along, double* a);
void avx512_column_sweep(const ColumnPlan& plan, double* wrenches, double* along, double* a);

}  // namespace mbdbench
