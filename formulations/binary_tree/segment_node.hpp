#pragma once
/// \file
/// The lanes of one arm in one block as a node of the tree above them, and what processes tell each other of it: plain
/// data of one size.
#include "formulations/kernels/binary_node.hpp"
#include "formulations/subchains/handle_turn.hpp"
#include "mechanisms/model/kinematics/spatial.hpp"

namespace mbdbench {

/// What others need of a segment before its leaves are made: turn and angular velocity (accelerations), p or tau of its
/// first link.
struct SegmentStart : SegmentScan {
  double first = 0.0;
};

/// A segment as one node; its scan is that of first moments (momenta).
struct SegmentNode : SegmentScan {
  kernels::TwoHandles<double> node{};
  double smallest_pivot = 0.0;  ///< NaN when this process holds a state with NaN
};

/// The proximal handle of a segment to the frame before its joint's angle (subchains/handle_turn.hpp).
void turn_proximal_back(const JointTurn& turn, kernels::TwoHandles<double>& node);

/// The handle to the ground [Chadaj2015, Eq. (29)]: xi_11 sigma + xi_10 = D^T V of the ground. \param motion linear
/// \param sigma receives it
void close_ground(const kernels::TwoHandles<double>& node, const Vec3& motion, double* sigma, double& smallest);

}  // namespace mbdbench
