#pragma once
/// \file
/// Directions of a state (q, u) that keep a mechanism's constraints, of positions and of velocities.
#include <Eigen/Core>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// With Z a basis of what Phi_q sends to zero: dq = N(q) Z c, du = Z d less the least change that makes up for
/// (d Phi_q) u. Two for each degree of freedom; the length of a quaternion is none. O(n^3).
/// \param q, u on the constraints, where Phi_q has its generic rank
/// \returns a column a direction, over the components of q, then of u
Eigen::MatrixXd tangent_directions(const Mechanism& mechanism, const Eigen::VectorXd& q, const Eigen::VectorXd& u);

}  // namespace mbdbench
