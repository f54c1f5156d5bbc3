#pragma once
/// \file
/// The proximal handle of a segment that is not the first of its arm, between the frames behind its first joint's angle
/// (where its sweeps end and begin) and before it (SegmentReport). Cost: 100 operations.
#include "formulations/subchains/node_chain.hpp"

namespace mbdbench {

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

/// K, f and X (\param with_tip where there is one) to the frame before the angle.
inline void turn_back(const JointTurn& turn, SegmentReport& report, bool with_tip) {
  for (const int first : {0, 3}) {
    for (kernels::Row& row : report.node.inertia) {
      turn_back(turn, row.at[first], row.at[first + 1]);
    }
    turn_back(turn, report.node.wrench.at[first], report.node.wrench.at[first + 1]);
  }
  for (const int first : {0, 3}) {
    for (int k = 0; k < 6; ++k) {
      turn_back(turn, report.node.inertia[first].at[k], report.node.inertia[first + 1].at[k]);
      if (with_tip) {
        turn_back(turn, report.tip.wrench[first].at[k], report.tip.wrench[first + 1].at[k]);
      }
    }
  }
}

/// The scan outward starts before the angle. The turn's columns are linear in the vector that is turned: e_x before the
/// angle is (c, -s, 0) behind it.
inline void turn_start(const JointTurn& turn, TurnScan<double>& scan) {
  turn_back(turn, scan.x.x, scan.y.x);
  turn_back(turn, scan.x.y, scan.y.y);
  turn_back(turn, scan.x.z, scan.y.z);
}

/// The scan inward ends before the angle.
inline void turn_end(const JointTurn& turn, TurnScan<double>& scan) {
  for (kernels::LinkVector<double>* const vector : {&scan.x, &scan.y, &scan.carried}) {
    turn_back(turn, vector->x, vector->y);
  }
}

}  // namespace mbdbench
