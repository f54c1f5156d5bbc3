#pragma once
/// \file
/// The sweeps over a block of trees of equal form, a tree a lane, as a table of functions: those of LinkAba
/// [Featherstone1983] and LinkNaudet [Naudet2005] with packs for states and constants alike (block_sweeps.hpp). A
/// sub-tree has no distal handle, so that no columns are needed: as a node of divide and conquer it is F = K V + f
/// alone.
#include <cstddef>

#include "formulations/batches/lane_data.hpp"

namespace mbdbench {

/// Sweeps in accelerations or in momenta. Numbers [first, last) of a slot are those that trunk and blocks tell each
/// other.
struct KindSweeps {
  /// Velocities of the links, in accelerations; after it a slot has what is told outward first.
  void (*prepare)(const LaneData&) = nullptr;
  void (*clear_slots)(const LaneData&) = nullptr;  ///< what is carried inward
  /// \returns the smallest pivot, or what is not a number
  double (*inward)(const LaneData&) = nullptr;
  void (*outward)(const LaneData&) = nullptr;

  struct Numbers {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  Numbers prepared;  ///< outward, by prepare
  Numbers carried;   ///< inward
  Numbers motion;    ///< outward
};

struct TreeSweeps {
  std::size_t lanes = 1;
  /// \returns whether all angles are moderate; otherwise sines and cosines are left to the caller
  bool (*set_positions)(const LaneData&) = nullptr;
  KindSweeps accelerations;
  KindSweeps momenta;
};

/// One lane.
TreeSweeps scalar_tree_sweeps();

namespace tree_sweeps {
/// \tparam W doubles a register: those of an instruction set (tree_sweeps_for_sets.cpp)
template <int W>
TreeSweeps sweeps_in_registers();
}  // namespace tree_sweeps

}  // namespace mbdbench
