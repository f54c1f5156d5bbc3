#pragma once
/// \file
/// The O(n^3) reference: projected Newton-Euler equations with explicit Jacobians and Lagrange multipliers.
///
///   M u' = f + Phi_q^T lambda,   Phi_q u' = -(Phi_q)' u - Phi_tt       (accelerations)
///   M u  = p + Phi_q^T sigma,    Phi_q u  = -Phi_t                     (velocities from canonical momenta)
///   p'   = sum J_i^T Q_i + tau + sum Jdot_i^T P_i - (Phi_q)'^T sigma   (sigma' = lambda)
///
/// with M = sum J_i^T M_i J_i, P_i = M_i J_i u at the centres of mass. With M = L L^T, B = R Phi_q L^-T and R the
/// scales of the rows (mechanisms/model/characteristic_scales.hpp), y = L^T u obeys B y = R r: redundant constraints
/// get the multipliers of least norm over rows in units of the mechanism. Their rank is taken against the terms that
/// cancel in Phi_q: where a cut joint doubles a joint of the tree, all entries of its rows are rounding of those.
///
/// The rank is at most the mechanism's generic one (mechanisms/model/start/generic_rank.hpp): rows that are redundant
/// where the loops are closed only would otherwise count by as much as the loops have drifted open. What drift leaves
/// in u becomes an error of u' divided by the smallest singular value, so near singular positions u is projected first:
///
///   u <- u - L^-T B^+ (Phi_q u + Phi_t)                                (nearest in the norm of M)
#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <span>

#include "formulations/dense/minimum_norm.hpp"
#include "formulations/formulation.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/loads/loads.hpp"
#include "mechanisms/model/loads/motions.hpp"

namespace mbdbench {

/// Workspace of both dense formulations.
class DenseDynamics {
 public:
  /// \param fixed_rank the generic rank is taken everywhere, whatever the pivots say
  /// \param near as of LoadEvaluator
  DenseDynamics(const Mechanism& mechanism, const CutReferences* near, bool fixed_rank = false);

  /// Poses, Jacobians, M and B at (t, q). O(n^3).
  RhsStatus set_positions(double t, std::span<const double> q);
  /// Velocities and everything that depends on them, loads included.
  void set_velocities(double t, std::span<const double> q, std::span<const double> u);

  /// \returns the velocities on the constraints that are nearest to u in the norm of M, after set_positions.
  const Eigen::VectorXd& projected(std::span<const double> u);
  /// \returns max R |Phi_q u + Phi_t|, 1/s, after set_positions.
  double velocity_residual(std::span<const double> u);
  /// \returns max R |Phi|, after set_positions at the same q.
  double position_residual(std::span<const double> q);
  /// \returns the change dq of least norm in M with Phi_q dq = -Phi for the Phi of position_residual. Singular values
  /// within the reach of |Phi| do not count.
  const Eigen::VectorXd& position_correction();

  /// \returns u for canonical momenta p, after set_positions; sets sigma().
  const Eigen::VectorXd& velocities_of(std::span<const double> p);
  /// \returns p = M u, the momenta with sigma = 0, after set_positions.
  const Eigen::VectorXd& momenta_of(std::span<const double> u);
  /// \returns p' for the sigma of velocities_of, after set_velocities.
  const Eigen::VectorXd& momentum_rates();
  /// \returns p + Phi_q^T nu = M w with Phi_q w = 0, after set_positions: momenta, or their rates, without what the
  /// constraints carry.
  const Eigen::VectorXd& without_constraint_part(std::span<const double> p);
  /// \returns u', after set_velocities; sets lambda().
  const Eigen::VectorXd& accelerations();
  /// Constraint wrenches in all joints, after accelerations().
  void reactions(Reactions& result) const;

  /// \returns the rank of B at these positions.
  [[nodiscard]] Eigen::Index rank() const { return solver_.rank(); }
  [[nodiscard]] const Eigen::VectorXd& sigma() const { return sigma_; }
  [[nodiscard]] const Eigen::VectorXd& lambda() const { return lambda_; }
  [[nodiscard]] const Eigen::MatrixXd& mass_matrix() const { return mass_; }
  [[nodiscard]] const Jacobians& jacobians() const { return jacobians_; }
  [[nodiscard]] const Mechanism& mechanism() const { return *mechanism_; }

 private:
  /// \returns |D| |L^-1 (X J)^T| of the largest end of a cut joint: what the entries of B are differences of.
  double size_of_ends();
  /// Adds the part of M^-1 that keeps the constraints: y_ = L^-1 y_ + B^+ (right_ - B y_); multipliers of least norm.
  void constrain(Eigen::VectorXd& multipliers);
  /// right_ = -R (Phi_q u + Phi_t).
  void set_velocity_defect(std::span<const double> u);

  const Mechanism* mechanism_;
  Kinematics kinematics_;
  Jacobians jacobians_;
  LoadEvaluator loads_;
  PrescribedMotions motions_;
  Eigen::MatrixXd mass_;
  Jacobians::BodyJacobian momentum_map_;  // M_i J_i of one body
  Eigen::LLT<Eigen::MatrixXd> cholesky_;
  Eigen::MatrixXd b_transposed_;
  Eigen::VectorXd end_;  // one row of X J of an end of a cut joint
  MinimumNormSolver solver_;
  Eigen::Index generic_rank_ = 0;
  bool fixed_rank_;
  Eigen::VectorXd right_;  // right side of the constraints, R r where B answers it
  Eigen::VectorXd y_;
  Eigen::VectorXd result_;
  Eigen::VectorXd sigma_;
  Eigen::VectorXd lambda_;
  Eigen::VectorXd u_;
};

}  // namespace mbdbench
