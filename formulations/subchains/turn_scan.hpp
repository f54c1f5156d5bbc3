#pragma once
/// \file
/// What the scan over a lane or segment does to vectors that cross it, in plain 3 x 3 matrices.
#include "formulations/subchains/chains/chain_block.hpp"
#include "mechanisms/model/kinematics/spatial.hpp"

namespace mbdbench {

inline kernels::LinkVector<double> plain(const Vec3& v) {
  return {v.x(), v.y(), v.z()};
}

inline Vec3 vector_of(const kernels::LinkVector<double>& v) {
  return {v.x, v.y, v.z};
}

/// \returns the turn of a scan: into the frame at the far end (outward scans) or out of it (inward scans).
inline Mat3 turn_of(const TurnScan<double>& scan) {
  Mat3 turn;
  turn.col(0) = vector_of(scan.x);
  turn.col(1) = vector_of(scan.y);
  turn.col(2) = turn.col(0).cross(turn.col(1));
  return turn;
}

/// \returns a wrench at the far end of a lane or segment, in the frame there, about the O_k of its first link.
inline Vec6 carried_inward(const Mat3& turn, const Vec3& lever, const Vec6& wrench) {
  Vec6 carried;
  carried.head<3>().noalias() = turn * wrench.head<3>();
  carried.tail<3>().noalias() = turn * wrench.tail<3>();
  carried.tail<3>() += lever.cross(carried.head<3>());
  return carried;
}

}  // namespace mbdbench
