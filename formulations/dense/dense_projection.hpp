#pragma once
/// \file
/// Mass-orthogonal projection of positions and velocities on the constraints with the dense matrices: Newton's
/// iteration for M dq = Phi_q^T mu, Phi_q dq = -Phi with the rank limited like that of the motion, then the velocities
/// at the new position. O(n^3) an iteration.
#include <Eigen/Core>
#include <span>

#include "formulations/dense/dense_dynamics.hpp"

namespace mbdbench {

/// Projects states with the workspace of a DenseDynamics, which it leaves at the new position.
class DenseProjection {
 public:
  explicit DenseProjection(DenseDynamics& dynamics);

  /// Moves q and u until max |Phi| and max |Phi_q u + Phi_t|, scaled, are not above the tolerance, rates next to the
  /// largest of u, or get no smaller.
  /// \param q, u the dynamics' positions are set at q; q_size() and u_size() entries
  /// \returns whether q or u changed
  bool project(double t, std::span<double> q, std::span<double> u, double tolerance);

 private:
  bool project_positions(double t, std::span<double> q, double tolerance);
  void move(std::span<const double> q, std::span<const double> change);

  DenseDynamics* dynamics_;
  Eigen::VectorXd candidate_;
};

}  // namespace mbdbench
