#pragma once
/// \file
/// Sections of equal form side by side, a lane a section, as plain data. SectionsInLanes sets it up; the sweeps
/// (section_sweeps.hpp) are compiled once an instruction set.
#include "formulations/parts/lanes/loop_data.hpp"

namespace mbdbench {

/// What the sections are as states of one part, whose ground is the link that each hangs on: its pose stands behind
/// those of the rows, in world axes, and its motion behind theirs.
struct SectionData : LoopData {
  int crossing_count = 0;        ///< cut joints behind those that are closed here
  int carried_count = 0;         ///< cut joints behind the seam, of which ways alone are known
  int seam_columns = 0;          ///< place of the unit wrenches of what hangs on the section
  bool pushes_joints = false;    ///< whether `tree.torques` act
  const bool* on_way = nullptr;  ///< rows on the way to the link that the next section hangs on
  const bool* at_end = nullptr;  ///< those of them whose pose is read again

  // Packs.
  /// Three a crossing cut joint, then three a carried one: slides, turns, levers (StretchSize).
  double* way_sizes = nullptr;
};

/// The sweeps of one instruction set. What crosses the ends of sections is known between them.
struct SectionSweeps {
  LoopSweeps loops;  ///< lanes, and how memory is prepared
  /// Positions, and the pose and velocity of the last link of the way as if the section's base rested at the origin.
  void (*set_ways)(const SectionData&) = nullptr;
  void (*set_poses)(const SectionData&) = nullptr;
  /// Inertias and loops. Unit wrenches of crossing cut joints, and their points, stand in place.
  void (*eliminate)(const SectionData&) = nullptr;
  void (*push_inward)(const SectionData&) = nullptr;
  void (*push_outward)(const SectionData&) = nullptr;  ///< and the velocities after it
  void (*accelerate_inward)(const SectionData&) = nullptr;
  void (*accelerate_outward)(const SectionData&) = nullptr;
};

namespace section_sweeps {
/// \tparam W doubles a register: those of an instruction set (section_sweeps_for_sets.cpp)
template <int W>
SectionSweeps sweeps();
}  // namespace section_sweeps

}  // namespace mbdbench
