#pragma once
/// \file
/// Memory for the packs that a LaneData points to.
#include <cstddef>
#include <vector>

#include "formulations/batches/lane_data.hpp"
#include "formulations/formulation.hpp"
#include "formulations/kernels/aligned_memory.hpp"

namespace mbdbench {

/// How many rows share a workspace (LinkRow::ordinal).
struct SharedRows {
  int general = 0;  ///< slides and driven rows
  int spheres = 0;  ///< spherical and free rows
};

/// Owns it: zeros at first.
class LaneMemory {
 public:
  /// Points the packs of `data`, whose counts are set. \param kind of the second half of the state: velocity or
  /// momentum \param width doubles a number \param wrenches whether there are loads on rows
  void reserve(LaneData& data, StateKind kind, std::size_t width, const SharedRows& shared, bool wrenches);

 private:
  std::vector<AlignedMemory> memory_;
};

}  // namespace mbdbench
