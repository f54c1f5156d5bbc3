#pragma once
/// \file
/// Directions of a state (q, u) that keep a mechanism's constraints, of positions and of velocities.
#include <Eigen/Core>

#include "experiments/verification/reference/verification_reference.hpp"
#include "formulations/joint_state.hpp"
#include "mechanisms/catalogue/trees/random_source.hpp"

namespace mbdbench {

/// Directions, a column each, over the components of q, then of u.
struct TangentBasis {
  Eigen::MatrixXd directions;
  Eigen::MatrixXd displacements;  ///< what the first of them are over u; the others change velocities alone
};

/// With Z a basis of what Phi_q sends to zero: dq = N(q) Z c, du = Z d less the least change that makes up for
/// (d Phi_q) u. Two for each degree of freedom; the length of a quaternion is none. Rows that hold velocities alone
/// leave displacements free: there are more of these then. O(n^3).
/// \param q, u on the constraints, where Phi_q has its generic rank
TangentBasis tangent_directions(const Mechanism& mechanism, const Eigen::VectorXd& q, const Eigen::VectorXd& u);

/// How coordinates and quasi-velocities change; empty where loops and drives leave no freedom.
struct TangentDirection {
  Eigen::VectorXd q;
  Eigen::VectorXd u;
};

/// Draws them for one mechanism.
class TangentDirections {
 public:
  explicit TangentDirections(const Mechanism& mechanism);

  /// Of an open tree any direction, those of prescribed motions included; otherwise one that keeps the constraints.
  /// With time held; turns of about 1, velocities by about as much as they have or soon will have. O(n^3) with loops.
  TangentDirection draw(const Reference& reference, RandomSource& random) const;

 private:
  const Mechanism* mechanism_;
  bool open_;
  CoordinateRates coordinate_rates_;
};

}  // namespace mbdbench
