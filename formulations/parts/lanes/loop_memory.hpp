#pragma once
/// \file
/// Memory for the packs that a LoopData points to.
#include <cstddef>
#include <vector>

#include "formulations/kernels/aligned_memory.hpp"
#include "formulations/parts/lanes/loop_data.hpp"

namespace mbdbench {

/// How many there are of everything, of one state.
struct LoopSizes {
  std::size_t rows = 0;
  std::size_t receivers = 0;  ///< of inertia, wrenches and motion: rows, and a place for what they all hang on
  std::size_t spheres = 0;
  int columns = 0;
  int along = 0;
  int products = 0;
  int halves = 0;
  int across = 0;
  int rates = 0;
  int rights = 0;
  int joints = 0;
  int most = 0;     ///< rows of one closing
  int carried = 0;  ///< cut joints behind all loops that have a point alone
};

/// Owns it: zeros at first.
class LoopMemory {
 public:
  explicit LoopMemory(const LoopSweeps& sweeps) : lanes_(sweeps.lanes), joint_size_(sweeps.joint_size) {}

  /// \returns zeros for so many packs.
  double* packs(std::size_t count);
  /// Points the packs of what is eliminated and of right sides, of velocities alone. The counts of loops, cut joints
  /// and velocities are set, and `tree` has its memory.
  void reserve(LoopData& data, const LoopSizes& sizes);

 private:
  void reserve_side(PartRightSide<double>& side, const LoopData& data, const LoopSizes& sizes);

  int lanes_;
  std::size_t joint_size_;
  std::vector<AlignedMemory> memory_;
};

}  // namespace mbdbench
