#pragma once
/// \file
/// Phi_q alone, without the Jacobians of the bodies: only the joints between a cut and the ground have entries in its
/// rows, so a loop of n bodies costs O(n) time and memory where `Jacobians` takes O(n^2).
#include <Eigen/Core>

#include "mechanisms/model/kinematics/kinematics.hpp"

namespace mbdbench {

/// Matrices of its size that exist at once where it is decomposed: it, its scaled columns, the decomposition and what
/// that makes in between.
inline constexpr double kConstraintJacobianCopies = 4.0;

/// \param kinematics positions set
/// \returns Phi_q, constraint_size() x u_size(): Phi' = Phi_q u + Phi_t, the same rows as `Jacobians::constraints`
/// \throws MemoryRefusal where it cannot be decomposed in the memory that there is
Eigen::MatrixXd constraint_jacobian(const Kinematics& kinematics);

}  // namespace mbdbench
