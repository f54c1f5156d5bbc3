#pragma once
/// \file
/// What the blocks of a chain tell each other, one plain structure a block that is sent as it lies.
///
/// Between two blocks the handle is the frame of the outboard block's first link before its joint's own angle: a block
/// then needs no angle of its neighbour, and sweeps before the exchange as if that angle were zero. Inside a block
/// handles stay behind the angle (kernels/chain_links.hpp). Cost of turning a block's handle: 100 operations.
#include "formulations/subchains/chain_block.hpp"

namespace mbdbench {

/// Turns and what is carried along with them: angular velocities or first moments.
struct BlockScan {
  TurnScan<double> lanes[ChainSweeps::kLanes];
};

/// A block as seen from its handles.
struct BlockHandles {
  kernels::ChainNode lanes[ChainSweeps::kLanes];
  BlockScan scan;         ///< momenta
  double smallest_pivot;  ///< not a number where the block's state is none
};

/// Of a joint's own angle.
using JointTurn = kernels::SineCosine<double>;

/// Components of a vector from the frame behind the joint's angle to the one before it, and back.
inline void turn_back(const JointTurn& turn, double& x, double& y) {
  const double x_behind = x;
  x = turn.cosine * x_behind - turn.sine * y;
  y = turn.sine * x_behind + turn.cosine * y;
}
inline void turn_on(const JointTurn& turn, double& x, double& y) {
  const double x_before = x;
  x = turn.cosine * x_before + turn.sine * y;
  y = turn.cosine * y - turn.sine * x_before;
}

/// K, f and X of a node whose proximal handle lies behind the joint's angle: to the frame before it.
inline void turn_proximal_handle(const JointTurn& turn, kernels::ChainNode& node) {
  for (const int first : {0, 3}) {
    for (int k = 0; k < 6; ++k) {
      turn_back(turn, node.inertia[k].at[first], node.inertia[k].at[first + 1]);
      turn_back(turn, node.transposed[k].at[first], node.transposed[k].at[first + 1]);
    }
    turn_back(turn, node.wrench.at[first], node.wrench.at[first + 1]);
  }
  for (const int first : {0, 3}) {
    for (int k = 0; k < 6; ++k) {
      turn_back(turn, node.inertia[first].at[k], node.inertia[first + 1].at[k]);
      turn_back(turn, node.across[first].at[k], node.across[first + 1].at[k]);
    }
  }
}

/// The scan of angular velocities outward through the first lane: it starts before the joint's angle.
inline void turn_outward_scan(const JointTurn& turn, TurnScan<double>& scan) {
  // Columns of the turn are linear in the vector that is turned: e_x before the angle is (c, -s, 0) behind it.
  turn_back(turn, scan.x.x, scan.y.x);
  turn_back(turn, scan.x.y, scan.y.y);
  turn_back(turn, scan.x.z, scan.y.z);
}

/// The scan of first moments inward through the first lane: it ends before the joint's angle.
inline void turn_inward_scan(const JointTurn& turn, TurnScan<double>& scan) {
  for (kernels::LinkVector<double>* const vector : {&scan.x, &scan.y, &scan.carried}) {
    turn_back(turn, vector->x, vector->y);
  }
}

}  // namespace mbdbench
