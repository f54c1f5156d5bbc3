#pragma once
/// \file
/// Many states of one tree side by side, a lane a state, as plain data: rows of a LinkTree and what the sweeps over
/// them leave for each other. StatesInLanes sets it up; the sweeps (lane_sweeps.hpp) are compiled once an instruction
/// set and so see pointers alone.
///
/// A *pack* is as many numbers as there are lanes, one a state. Constants are single numbers: all states share them.
#include "formulations/kernels/chains/run_start.hpp"
#include "formulations/kernels/momentum_rows.hpp"
#include "formulations/recursion/links/link_rows.hpp"

namespace mbdbench {

/// A chain of rows [first, last), each the first child of the one before (LinkRun).
struct LaneRun {
  int first = 0;
  int last = 0;
  int slot = -1;  ///< of the link where the run starts; -1: the ground
  kernels::RunStart<double> start{1.0, 0.0, 0.0};
  kernels::LinkVector<double> gravity{};  ///< in the run's start frame; ground only
};

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
  const LaneRun* runs = nullptr;
  const SphericalConstants* spherical = nullptr;
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
  double* turns = nullptr;       ///< cosine, sine and slide, three packs a row
  double* spheres = nullptr;     ///< rotation and lever, twelve packs a spherical or free row
  double* turn_rows = nullptr;   ///< AccelerationRow or MomentumRow, one a row
  double* other_rows = nullptr;  ///< SlideGain or GeneralMomentumRow, one a row
  double* ball_rows = nullptr;   ///< SphericalAccelerationRow or SphericalMomentumRow
  double* slots = nullptr;       ///< AccelerationSlot or MomentumSlot
  double* verdict = nullptr;     ///< one pack: positive in lanes that are right for sure
};

/// What links where runs start leave for them and the other way round.
template <typename T>
struct AccelerationLaneSlot {
  kernels::LinkVector<T> omega;
  T square;
  kernels::LinkVector<T> linear, angular;
  kernels::ArticulatedInertia<T> inertia;
  kernels::LinkWrench<T> wrench;
};

template <typename T>
struct MomentumLaneSlot {
  kernels::CarriedVelocity<T> motion;
  kernels::CarriedMomentum<T> carried;
  kernels::LinkWrench<T> load;
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

LaneSweeps baseline_lane_sweeps();
LaneSweeps avx2_lane_sweeps();
LaneSweeps avx512_lane_sweeps();

}  // namespace mbdbench
