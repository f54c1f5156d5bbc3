#pragma once
/// \file
/// Sub-trees of equal form, one a lane, as the sweeps see them: plain arrays of structures of lanes.
#include "formulations/kernels/acceleration_rows.hpp"
#include "formulations/kernels/chains/run_start.hpp"
#include "formulations/kernels/momentum_rows.hpp"
#include "formulations/kernels/sines.hpp"

namespace mbdbench {

/// Neighbouring rows [first, last), each on the one before; the first one on the link of a slot.
struct TreeRun {
  int first = 0;
  int last = 0;
  int slot = 0;
};

/// What a link keeps for the runs that start on it, and they for the link, in its frame. The link where the block
/// itself hangs has one as well.
template <typename T>
struct TreeSlot {
  kernels::LinkVector<T> omega;         ///< outward (accelerations)
  kernels::CarriedMomentum<T> carried;  ///< inward: inertia, wrench or momentum, first moment; sums
  kernels::CarriedVelocity<T> motion;   ///< outward: accelerations or velocities, gravity (momenta)
};

/// What the sweeps leave for each other at a row.
template <typename T>
union TreeRow {
  kernels::AccelerationRow<T> acceleration;
  kernels::MomentumRow<T> momentum;
};

/// Where a block's arrays lie: numbers of all lanes side by side. The types in the comments are those of one lane.
struct TreeBlock {
  int rows = 0;
  const TreeRun* runs = nullptr;
  const TreeRun* last_run = nullptr;
  const int* slot_of_row = nullptr;  ///< -1: no run starts on the row's link
  int slots = 0;
  double* links = nullptr;    ///< LinkConstants
  double* starts = nullptr;   ///< RunStart, by run
  double* offsets = nullptr;  ///< constant angles
  double* angles = nullptr;
  double* turns = nullptr;           ///< SineCosine
  double* rates = nullptr;           ///< u, or p
  double* forces = nullptr;          ///< tau (accelerations)
  double* results = nullptr;         ///< u', or u
  double* momentum_rates = nullptr;  ///< p' without joint forces
  double* kept = nullptr;            ///< TreeRow
  double* slot_data = nullptr;       ///< TreeSlot
};

/// Sweeps over a block; those inward return the smallest pivot.
struct TreeSweeps {
  /// \returns whether all angles are moderate; otherwise sines and cosines are left to the caller
  bool (*set_turns)(const TreeBlock& block);
  void (*clear_slots)(const TreeBlock& block);  ///< what is carried inward
  void (*velocities)(const TreeBlock& block);
  double (*accelerations_inward)(const TreeBlock& block);
  void (*accelerations_outward)(const TreeBlock& block);
  double (*momenta_inward)(const TreeBlock& block);
  void (*momenta_outward)(const TreeBlock& block);
};

/// One lane.
TreeSweeps scalar_tree_sweeps();

namespace tree_sweeps {
/// \tparam W doubles a register: those of an instruction set (tree_sweeps_for_sets.cpp)
template <int W>
TreeSweeps sweeps_in_registers();
}  // namespace tree_sweeps

}  // namespace mbdbench
