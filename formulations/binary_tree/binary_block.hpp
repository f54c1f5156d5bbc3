#pragma once
/// \file
/// The numbers of a block of eight binary trees, one a lane, as the sweeps see them: beside those of its links
/// (subchains/chain_block.hpp) what the papers' leaves and nodes need.
#include "formulations/binary_tree/binary_steps.hpp"
#include "formulations/kernels/binary_node.hpp"
#include "formulations/subchains/chains/chain_block.hpp"

namespace mbdbench {

/// What enters a body besides its joints (accelerations).
template <typename T>
struct BodyInput {
  kernels::LinkWrench<T> needed;        ///< for its angular velocity, about O_k
  kernels::VelocityProduct<T> product;  ///< of its own joint
};

/// What crosses a handle inward: first moment of everything outboard of it and gravity (momenta), or the angular
/// velocity of the link inboard of it (accelerations), in the frame behind the joint's angle.
template <typename T>
struct HandleVectors {
  kernels::LinkVector<T> moment, gravity;
};

/// Where a block's arrays lie. The types in the comments are those of one lane.
struct BinaryBlock {
  ChainBlock links;
  const BinaryStep* steps = nullptr;
  const BinaryStep* last_step = nullptr;
  double* leaves = nullptr;   ///< BodyLeaf, `length`
  double* inputs = nullptr;   ///< BodyInput, `length` (accelerations)
  double* stack = nullptr;    ///< TwoHandles; the first one is the whole lane in the end
  double* kept = nullptr;     ///< ClosedNode, `length` - 1
  double* sigma = nullptr;    ///< five a handle, `length` + 1: the first and the last are given on the way back
  double* scans = nullptr;    ///< TurnScan on the stack
  double* passed = nullptr;   ///< TurnScan of every node's outboard part
  double* vectors = nullptr;  ///< HandleVectors, `length` + 1
  double* behind = nullptr;   ///< p (tau) of the link behind the lane, one
  double* distal = nullptr;   ///< one: motion about z that the last link gives the next one
};

/// The sweeps over a block, for one instruction set.
struct BinarySweeps {
  /// Turns and angular velocities over the lanes, summed in the trees (accelerations).
  void (*scan_rates)(const BinaryBlock& block);
  /// Leaves and nodes of the lanes, turns and first moments (momenta); \returns the smallest pivot
  double (*assemble_momenta)(const BinaryBlock& block);
  double (*assemble_accelerations)(const BinaryBlock& block);
  /// sigma of all handles within the lanes.
  void (*disassemble)(const BinaryBlock& block);
  /// u and p' (or u') of all links but what the one inboard of the lane takes from the first u.
  void (*momenta)(const BinaryBlock& block);
  void (*accelerations)(const BinaryBlock& block);
};

namespace binary_sweeps {
/// \tparam W doubles a register: those of an instruction set (binary_sweeps_for_sets.cpp)
template <int W>
BinarySweeps sweeps();
}  // namespace binary_sweeps

}  // namespace mbdbench
