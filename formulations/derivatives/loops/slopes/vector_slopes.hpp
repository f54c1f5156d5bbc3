#pragma once
/// \file
/// Vectors that move with two bodies, and their slopes by the motions of these (load_slopes.hpp).
#include "formulations/derivatives/loops/loads/load_slopes.hpp"

namespace mbdbench {

using VectorSlopes = Eigen::Matrix<double, 3, linear::LoopCut::kSlopes>;

// Columns of the motions of a and of b.
inline constexpr int kTurnOfA = 3, kOfB = 6, kTurnOfB = 9, kVelocityOfA = 12, kVelocityOfB = 18;
inline constexpr int kSpinOfA = 15, kSpinOfB = 21;

/// \returns how the motion [d; alpha] of a body moves its point P.
inline Eigen::Matrix<double, 3, 6> motion_of_point(const Vec3& place) {
  Eigen::Matrix<double, 3, 6> motion;
  motion << Mat3::Identity(), -skew(place);
  return motion;
}

/// Of the wrench [f; n + P x f] of a force at P, and a torque.
inline WrenchSlopes slopes_of_wrench(const Vec3& place, const VectorSlopes& place_slopes, const Vec3& force,
                                     const VectorSlopes& force_slopes, const VectorSlopes& torque_slopes) {
  WrenchSlopes slopes;
  slopes.topRows<3>() = force_slopes;
  slopes.bottomRows<3>() = torque_slopes + skew(place) * force_slopes - skew(force) * place_slopes;
  return slopes;
}

}  // namespace mbdbench
