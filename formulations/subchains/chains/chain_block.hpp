#pragma once
/// \file
/// The numbers of a block of sub-chains, one a lane, as the sweeps see them: plain arrays of structures of lanes.
#include "formulations/execution/instruction_set.hpp"
#include "formulations/kernels/chains/tip_columns.hpp"
#include "formulations/kernels/closing.hpp"
#include "formulations/kernels/sines.hpp"
#include "formulations/kernels/wrench_columns.hpp"

namespace mbdbench {

/// What the sweeps leave for each other at a link.
template <typename T>
struct LinkSweep {
  kernels::JointRule<T> rule;
  T pivot;                              ///< D
  kernels::VelocityProduct<T> product;  ///< accelerations
  kernels::ColumnGains<T> gains;
};

/// Velocity of a link at O_k in its frame (momenta, projected velocities).
template <typename T>
struct LinkMotion {
  kernels::LinkVector<T> linear, angular;
};

/// Two columns of a rotation, the third being their product, and a vector that is carried along with it.
template <typename T>
struct TurnScan {
  kernels::LinkVector<T> x, y;
  kernels::LinkVector<T> carried;
};

/// A sub-chain as a node with two handles, before it is turned into rows (kernels/chain_links.hpp).
template <typename T>
struct LaneNode {
  kernels::ProjectedInertia<T> inertia;  ///< K
  kernels::LinkWrench<T> wrench;         ///< f
  kernels::LinkWrench<T> column[6];      ///< X
  T free[6];                             ///< v
  kernels::Compliance<T> compliance;     ///< C
};

/// Where unit wrenches enter some lanes: 1 in those, behind the link at `position`.
struct ColumnStart {
  int position = 0;
  kernels::Row lanes{};
};

/// Where a block's arrays lie: numbers of all lanes side by side, `length` links a lane; the placement at position
/// `length` is that of the next sub-chain's first link. The types in the comments are those of one lane.
struct ChainBlock {
  int length = 0;
  double* links = nullptr;              ///< LinkConstants, length + 1
  const ColumnStart* starts = nullptr;  ///< from the outboard end inward; the first one for all lanes that go on
  const ColumnStart* last_start = nullptr;
  double* padding = nullptr;         ///< added to D: 1 for links that only fill the lanes, otherwise 0
  double* offsets = nullptr;         ///< constant angles, length + 1
  double* angles = nullptr;          ///< length + 1
  double* turns = nullptr;           ///< SineCosine, length + 1
  double* rates = nullptr;           ///< u, or p
  double* forces = nullptr;          ///< tau
  double* results = nullptr;         ///< u', or u
  double* momentum_rates = nullptr;  ///< p'
  double* sweeps = nullptr;          ///< LinkSweep
  double* motions = nullptr;         ///< LinkMotion
  double* biases = nullptr;          ///< LinkWrench: what links need for velocity products (projected velocities)
  double* scan = nullptr;            ///< TurnScan, one
  double* levers = nullptr;          ///< LinkVector, one: O of the next sub-chain's first link from that of the own,
                                     ///< in the frame of the latter
  double* drift = nullptr;           ///< LinkVector, one: its velocity, in its frame, while the own first O rests
  double* node = nullptr;            ///< LaneNode, one
  double* exchange = nullptr;        ///< LaneExchange, one
};

/// What a lane learns from the exchange between sub-chains.
template <typename T>
struct LaneExchange {
  // At the next sub-chain's first link and in its frame:
  kernels::LinkVector<T> omega;    ///< angular velocity of the lane's last link (accelerations)
  kernels::LinkVector<T> gravity;  ///< (momenta)
  kernels::LinkVector<T> moment;   ///< first moment of everything outboard of the lane (momenta)
  kernels::LinkWrench<T> wrench;   ///< F'
  kernels::LinkWrench<T> load;     ///< what acts there on the lane besides (momenta, at a cut joint)
  // At the lane's own first link:
  kernels::LinkVector<T> inboard_omega;  ///< angular velocity of the link inboard of it (accelerations)
  kernels::LinkVector<T> linear;         ///< V
  kernels::LinkVector<T> angular;
};

/// The sweeps over a block of eight lanes, for one instruction set. Eight also where registers hold four or two
/// doubles: results are then the same plan on every machine, and four lanes were slower from 64 links on.
struct ChainSweeps {
  static constexpr int kLanes = 8;
  /// \returns whether all angles are moderate; otherwise sines and cosines are left to the caller
  bool (*set_turns)(const ChainBlock& block);
  void (*scan_rates)(const ChainBlock& block);
  void (*scan_motions)(const ChainBlock& block);  ///< levers and drift too
  void (*scan_levers)(const ChainBlock& block);
  /// Inward, columns and C; \returns the smallest pivot
  double (*sweep_accelerations_inward)(const ChainBlock& block);
  double (*sweep_momenta_inward)(const ChainBlock& block);
  /// Velocity products of the lane by itself, and then f and v alone, with the matrices of the last sweep inward.
  void (*sweep_biases_outward)(const ChainBlock& block);
  void (*sweep_accelerations_again)(const ChainBlock& block);
  void (*sweep_momenta_again)(const ChainBlock& block);
  /// The lanes' nodes by rows, one a lane; f and v alone.
  void (*set_nodes)(const ChainBlock& block, kernels::ChainNode* nodes);
  void (*set_right_sides)(const ChainBlock& block, kernels::ChainNode* nodes);
  void (*sweep_accelerations_outward)(const ChainBlock& block);
  void (*sweep_velocities_outward)(const ChainBlock& block);
  void (*sweep_momentum_rates)(const ChainBlock& block);
  void (*sweep_momentum_rates_with_loads)(const ChainBlock& block);  ///< LaneExchange::load too
  void (*add_loads)(const ChainBlock& block);                        ///< that alone, onto p'
  /// Closing of the handle between two sub-chains, and the way outward over it (kernels/closing.hpp).
  void (*close)(const kernels::ChainNode& a, kernels::OutboardNode& outboard, kernels::ClosedHandle& handle);
  void (*open)(const kernels::ChainNode& a, const kernels::ClosedHandle& handle, const kernels::Row& motion_a,
               kernels::Row& motion_b, kernels::Row& wrench_b);
  /// The same where the outboard sub-chains have a distal handle (kernels/tip_columns.hpp).
  void (*close_tip)(const kernels::ChainNode& a, const kernels::ClosedHandle& handle, kernels::TipRows& tip,
                    kernels::TipHandle& kept);
  void (*open_with_tip)(const kernels::ChainNode& a, const kernels::ClosedHandle& handle,
                        const kernels::TipHandle& kept, const kernels::Row& tip_wrench, const kernels::Row& motion_a,
                        kernels::Row& motion_b, kernels::Row& wrench_b);
  /// Of machine_limits.hpp: repetitions of so many operations.
  double (*multiply_adds)(int repetitions);
  double multiply_add_operations;
};

namespace chain_sweeps {
/// \tparam W doubles a register: those of an instruction set (chain_sweeps_for_sets.cpp)
template <int W>
ChainSweeps sweeps();
}  // namespace chain_sweeps

/// \returns those of an instruction set; they last as long as the program.
const ChainSweeps& chain_sweeps_for(const InstructionSet& set);

}  // namespace mbdbench
