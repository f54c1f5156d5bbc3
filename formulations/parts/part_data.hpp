#pragma once
/// \file
/// A part of a mechanism as plain data: rows of a LinkTree, the columns that carry unit wrenches of loops inward, and
/// where loops are closed. PartRecursion sets it up; the sweeps over it (part_sweeps.hpp) are compiled once an
/// instruction set and so see pointers alone.
///
///   symbol -> name
///   M, p     articulated inertia and bias wrench of a link about O_k    -> inertias, wrenches
///   Y_j      columns of loop j: what a unit of its multipliers does      -> columns (six packs, rows of j as lanes)
///   y_j      S^T Y_j                                                     -> along (a pack a free direction)
///   C_jk     sum of y_j^T D^-1 y_k                                       -> products (a pack a row of j)
///   v_j, w_j rates of the loop's rows with all links at rest; wanted     -> rates, wanted (a pack a loop)
///   F_j      multipliers lambda or sigma                                 -> multipliers (a pack a loop)
///
/// A *loop* is what closes: a cut joint with up to six rows, or a coupling with one.
#include "formulations/kernels/chains/run_start.hpp"
#include "formulations/kernels/loadless_rows.hpp"
#include "formulations/recursion/links/link_rows.hpp"

namespace mbdbench {

namespace lane_sweeps {
template <typename T>
struct LaneVerdict;
}

/// Lanes of a pack: the rows of one loop, at most six.
inline constexpr int kLoopLanes = 8;

/// One free direction of a joint, eliminated after those before it: y = Y[component] + slide Y[2], Y -= gain y.
template <typename T>
struct EliminatedDirection {
  int component = 5;   ///< 0..2 force, 3..5 moment
  double slide = 0.0;  ///< screws: advance for a turn of one radian, m
  T gain[6]{};         ///< U / D, its entry at the component included
  T inverse = T(0.0);  ///< 1 / D
};

/// One loop at one joint that its way inward crosses.
struct LoopPass {
  int loop = 0;
  int columns = 0;   ///< place of Y at this link
  int inward = -1;   ///< and of what the inboard link gets of them; -1: they end at the ground
  bool adds = true;  ///< whether something is in that place; without branches nothing is cleared that is written anyway
  int rates = 0;     ///< place of v, to which this joint adds
  int along = 0;     ///< place of y of the joint's first direction (a pack each)
  int factors = -1;  ///< couplings that name this joint: place of their factors, one a free direction; else -1
};

/// The joint of a row as columns cross it.
template <typename T>
struct PassedJoint {
  T rotation[9]{};  ///< the link's axes in the inboard link's, row by row
  T way[3]{};       ///< O_k in the inboard link's frame
  EliminatedDirection<T> directions[6]{};
  int direction_count = 0;
};

/// What the sweeps need of a row beside LinkRow.
struct PartRow {
  int joint = -1;      ///< into `joints`, -1: no loop passes
  int receiver = -1;   ///< where inertia and wrench go inward: `inboard`, of roots a place behind all rows
  int source = -1;     ///< where motion comes from: `inboard`, of roots of sections that place behind all rows
  int first_pass = 0;  ///< loops that pass this row's joint
  int last_pass = 0;
  int first_block = 0;  ///< among `blocks`: for every pass p and every q <= p
  int closing = -1;     ///< loops that are closed at this row's link
  bool starts = false;  ///< behind a RunStart
  bool adds = true;     ///< whether something is in the place of the receiver, as in LoopPass
  bool keeps = true;    ///< whether others than the next row read its motion; lanes of states store no other
};

/// Loops closed together at one link, in the presence of those that go on inward.
///
///   C^+ = H^T H (H: `half`, rank x rows),   Z = H Y^T, H C_gk   -> `across` and, a loop that goes on, `open`
struct LoopClosing {
  int row = -1;        ///< of the link; -1: the ground; of sections' bases a place behind all rows
  int part = -1;       ///< among `parts`: whose passes go on inward; -1: none do
  int first_loop = 0;  ///< among `closed_loops`
  int last_loop = 0;
  int rows = 0;
  int rank = 0;
  int half = 0;         ///< place of H among `halves`, rows of `rows` numbers
  int across = 0;       ///< place of Z of the link, `rank` packs with six lanes
  int open = 0;         ///< place of Z of the first loop that goes on, `rows` packs each
  int right = 0;        ///< place of z = H (w - v) in a right side
  int first_cross = 0;  ///< among `crosses`: of every closed loop with every loop that goes on
};

/// Where the products of a closed loop with one that goes on stand.
struct LoopCross {
  int block = 0;
  bool transposed = false;  ///< rows of the block are those of the loop that goes on
};

/// What loads and velocities, or impulses, do: one right side of the elimination.
template <typename T>
struct PartRightSide {
  kernels::AccelerationRow<T>* rows = nullptr;
  kernels::SphericalAccelerationRow<T>* spheres = nullptr;
  kernels::LinkWrench<T>* wrenches = nullptr;  ///< by row
  kernels::LinkVector<T>* linear = nullptr;    ///< of O_k, by row
  kernels::LinkVector<T>* angular = nullptr;
  const T* tau = nullptr;                         ///< over u; nullptr: zero
  const kernels::LinkWrench<T>* loads = nullptr;  ///< by row about O_k; nullptr: none
  const T* driven = nullptr;                      ///< prescribed rates by motion; nullptr: zero
  const bool* loaded = nullptr;                   ///< rows that an inward sweep has to visit; nullptr: all
  bool moves = false;                             ///< whether the links turn: there are velocity products
  bool weighs = false;                            ///< the ground accelerates by -g instead of weights on the links
  T* rates = nullptr;                             ///< v, a pack a loop; then what branches leave of it
  T* wanted = nullptr;                            ///< w, a pack a loop
  T* multipliers = nullptr;                       ///< F, a pack a loop
  T* right = nullptr;                             ///< z of all closings
  T* joint_rates = nullptr;                       ///< over u, by LinkRow::place
};

/// Everything that a sweep over the trunk or over a branch works on (tree_division.hpp). Memory of packs is aligned to
/// 64 bytes. What goes inward from row_count on, by root, is what branches leave for the trunk.
template <typename T>
struct PartData {
  int row_count = 0;  ///< of the whole tree
  int first_row = 0;  ///< of this range
  int last_row = 0;
  int first_root = 0;  ///< rows of this branch that hang on the trunk, among `roots`
  int last_root = 0;
  int joined_roots = 0;  ///< the trunk: all of them, unless branches are sections; branches: 0
  int first_child = 0;   ///< sections that hang on this one, among `children`
  int last_child = 0;
  const int* children = nullptr;  ///< among `roots`
  int root_count = 0;             ///< of the whole tree
  const int* roots = nullptr;     ///< rows
  const LinkRow* rows = nullptr;
  const PartRow* parts = nullptr;
  const kernels::LinkConstants<double>* links = nullptr;
  const SphericalConstants* spherical = nullptr;
  const kernels::RunStart<double>* starts = nullptr;     ///< by row
  const kernels::LinkVector<double>* gravity = nullptr;  ///< by row, in the frame of its run's start; ground only
  const T* cosines = nullptr;
  const T* sines = nullptr;
  const T* slides = nullptr;
  const kernels::Matrix3<T>* rotations = nullptr;
  const kernels::LinkVector<T>* levers = nullptr;

  kernels::ArticulatedInertia<T>* inertias = nullptr;  ///< by row: what comes from outboard
  kernels::TurnInertia<T>* turns = nullptr;            ///< by row
  kernels::JointGain<T>* turn_gains = nullptr;         ///< by row
  kernels::ArticulatedInertia<T>* whole = nullptr;     ///< by row: what slides, screws, driven rows let through
  kernels::SlideGain<T>* slide_gains = nullptr;        ///< by row
  kernels::LinkWrench<T>* screw_gains = nullptr;       ///< by row
  T* inverses = nullptr;                               ///< 1 / D of slides and screws, by row
  kernels::SphericalInertia<T>* spheres = nullptr;     ///< by ordinal
  kernels::Matrix3<T>* sphere_gains = nullptr;         ///< by ordinal
  T* pivot = nullptr;                                  ///< of the last row
  lane_sweeps::LaneVerdict<T>* verdict = nullptr;      ///< in its place where every lane is a state

  PassedJoint<T>* joints = nullptr;
  const LoopPass* passes = nullptr;
  const int* blocks = nullptr;      ///< place of the products of two loops
  const int* loop_rows = nullptr;   ///< rows of every loop
  const double* factors = nullptr;  ///< of couplings
  const LoopClosing* closings = nullptr;
  const LoopCross* crosses = nullptr;
  const int* closed_loops = nullptr;
  const int* closed_columns = nullptr;  ///< places of Y of the closed loops at their link
  T* columns = nullptr;
  T* along = nullptr;
  T* products = nullptr;
  T* halves = nullptr;
  T* across = nullptr;
};

/// What a sweep inward makes of velocities: momenta that the joints transmit, and their rates.
template <typename T>
struct PartMomenta {
  const kernels::LinkVector<T>* linear = nullptr;  ///< velocity of O_k, by row; nullptr: all links rest
  const kernels::LinkVector<T>* angular = nullptr;
  const kernels::LinkWrench<T>* impulses = nullptr;  ///< of loops on the links about O_k, by row; nullptr: none
  const kernels::LinkWrench<T>* loads = nullptr;     ///< by row about O_k, weights included unless `gravity` is there
  const kernels::LinkVector<T>* gravity = nullptr;   ///< g in the frames of rows: weights that are not in `loads`
  const bool* acted_on = nullptr;                    ///< rows with impulses or loads; nullptr: all
  const T* tau = nullptr;                            ///< over u; nullptr: zero
  kernels::LinkWrench<T>* carried = nullptr;         ///< workspace, three by row and root
  T* own = nullptr;    ///< receives J^T M V over u, by LinkRow::place; nullptr: not wanted
  T* rates = nullptr;  ///< receives p' likewise; nullptr: not wanted, nor are impulses and loads
};

/// The sweeps of one instruction set.
struct PartSweeps {
  /// Eliminates rows last - 1 .. first, outboard ones first. \returns a row whose pivot is not positive, or -1
  int (*eliminate)(const PartData<double>& part, int first, int last) = nullptr;
  /// What a closing does to its link and to the loops that go on; `half` and `rank` are set.
  void (*close)(const PartData<double>& part, int closing) = nullptr;
  void (*set_velocities)(const PartData<double>& part, const double* u, kernels::Turning<double>* turnings,
                         const PartRightSide<double>& side) = nullptr;
  void (*inward)(const PartData<double>& part, const PartRightSide<double>& side) = nullptr;
  void (*outward)(const PartData<double>& part, const PartRightSide<double>& side) = nullptr;
  /// A closing at the base of a section, by itself: what it does to the wrench there and to the loops that go on.
  void (*close_right)(const PartData<double>& part, const PartRightSide<double>& side, int closing) = nullptr;
  /// And the multipliers of its loops, from the motion there.
  void (*close_outward)(const PartData<double>& part, const PartRightSide<double>& side, int closing) = nullptr;
  void (*momenta)(const PartData<double>& part, const PartMomenta<double>& side) = nullptr;
};

namespace part_sweeps {
/// \tparam W doubles a register: those of an instruction set (part_sweeps_for_sets.cpp)
template <int W>
PartSweeps sweeps();
}  // namespace part_sweeps

}  // namespace mbdbench
