#pragma once
/// \file
/// Directions in which a state may change without leaving the constraints, for derivatives of right-hand sides.
#include <Eigen/Core>

#include "experiments/verification/verification_reference.hpp"
#include "formulations/joint_state.hpp"
#include "mechanisms/catalogue/trees/random_source.hpp"

namespace mbdbench {

/// How coordinates and quasi-velocities change; empty where loops and drives leave no freedom.
struct TangentDirection {
  Eigen::VectorXd q;
  Eigen::VectorXd u;
};

/// Draws them for one mechanism.
class TangentDirections {
 public:
  explicit TangentDirections(const Mechanism& mechanism);

  /// Of an open tree any direction, those of prescribed motions included. Otherwise one along the constraints: with w
  /// in the null space of Phi_q, q changes by the coordinate rates of w and u so that Phi_q u stays what it is. With
  /// time held; turns of about 1, velocities by about as much as they have or soon will have. O(n^3) with loops.
  TangentDirection draw(const Reference& reference, RandomSource& random);

 private:
  [[nodiscard]] Eigen::VectorXd drawn(const Reference& reference, RandomSource& random) const;

  const Mechanism* mechanism_;
  bool open_;
  CoordinateRates coordinate_rates_;
  Kinematics kinematics_;
  Jacobians jacobians_;
};

}  // namespace mbdbench
