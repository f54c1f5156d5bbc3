#pragma once
/// \file
/// Many states of one tree side by side, a lane a state, as plain data: rows of a LinkTree and what the sweeps over
/// them leave for each other. StatesInLanes sets it up; the sweeps (lane_sweeps.hpp) are compiled once an instruction
/// set and so see pointers alone. Or trees of equal form side by side, a lane a tree (subtrees/).
///
/// A *pack* is as many numbers as there are lanes. Constants are single numbers, which all states share; of trees of
/// equal form they are packs.
#include "formulations/recursion/links/link_rows.hpp"

namespace mbdbench {

/// A force along one quasi-velocity, constant - stiffness q - damping u: motors, springs and dampers.
struct LaneForce {
  int q = 0;
  int u = 0;
  double constant = 0.0;
  double stiffness = 0.0;
  double damping = 0.0;
};

/// Everything of one mechanism and of as many states as there are lanes.
struct LaneData {
  int row_count = 0;
  int run_count = 0;
  int slot_count = 0;
  int q_count = 0;
  int u_count = 0;
  int force_count = 0;
  const LinkRow* rows = nullptr;
  const kernels::LinkConstants<double>* links = nullptr;
  const LinkSegment* segments = nullptr;
  const LinkRun* runs = nullptr;
  const SphericalConstants* spherical = nullptr;
  const double* starts = nullptr;   ///< packs of RunStart, by run; of trees of equal form
  const double* angles = nullptr;   ///< the constant of theta, a row
  const double* offsets = nullptr;  ///< the constant of d, a row
  const double* motions = nullptr;  ///< prescribed velocities or accelerations, as the sweep needs
  const LaneForce* forces = nullptr;
  bool weight = true;  ///< whether gravity is not among `wrenches`

  // Packs.
  double* state = nullptr;       ///< q, then u or p
  double* rates = nullptr;       ///< q', then u' or p'
  double* velocities = nullptr;  ///< u; in accelerations the second half of `state`
  double* torques = nullptr;     ///< tau, dual to u
  double* wrenches = nullptr;    ///< loads on every row, six packs each; nullptr: none
  double* cosines = nullptr;     ///< what RowData has of positions
  double* sines = nullptr;
  double* slides = nullptr;
  double* rotations = nullptr;
  double* levers = nullptr;
  double* turns = nullptr;    ///< what AccelerationData or MomentumData has of rows
  double* general = nullptr;  ///< gains in accelerations
  double* spheres = nullptr;
  double* slots = nullptr;
  double* verdict = nullptr;  ///< one pack: positive in lanes that are right for sure
};

/// The sweeps of one instruction set.
struct LaneSweeps {
  int lanes = 1;
  /// From one row a state to packs, and back. \param states, rates so many pointers as lanes
  void (*gather)(const LaneData&, const double* const* states) = nullptr;
  void (*scatter)(const LaneData&, double* const* rates) = nullptr;
  /// u' and q' of a state (q, u), joint forces and wrenches included.
  void (*accelerations)(const LaneData&) = nullptr;
  /// u, q' and p' of a state (q, p) without loads.
  void (*momenta)(const LaneData&) = nullptr;
  /// Adds what loads do to p', after `momenta`.
  void (*momentum_loads)(const LaneData&) = nullptr;
};

namespace lane_sweeps {
/// \tparam W doubles a register: those of an instruction set (lane_sweeps_for_sets.cpp)
template <int W>
LaneSweeps sweeps();
}  // namespace lane_sweeps

}  // namespace mbdbench
