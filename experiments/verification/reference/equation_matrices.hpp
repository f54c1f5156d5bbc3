#pragma once
/// \file
/// The matrices of M u' = f + Phi_q^T lambda at one state, from dense Jacobians.
#include <Eigen/Core>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// All in the order of u; rows of Phi_q in that of the constraints.
struct EquationMatrices {
  Eigen::MatrixXd mass;                 ///< M, symmetric
  Eigen::MatrixXd constraint_jacobian;  ///< Phi_q, constraint_size() x u_size()
  Eigen::VectorXd forces;               ///< f: loads, gravity and what depends on velocities
};

/// \param q, u coordinates and quasi-velocities of the tree joints. O(n^3).
EquationMatrices equation_matrices(const Mechanism& mechanism, double t, const Eigen::VectorXd& q,
                                   const Eigen::VectorXd& u);

}  // namespace mbdbench
