#pragma once
/// \file
/// Dense Jacobians of bodies and constraints and their rates, O(n^2) each: for references, projections and checks, not
/// for fast formulations.
///
/// V_i = J_i u with V_i = [v_C; omega] of body i. Phi' = Phi_q u + Phi_t with Phi_q = D_c^T (X_b J_b - X_a J_a) for cut
/// joints, a unit row for a prescribed motion constant factors for a coupling, and factors
/// that depend on q for a constraint of velocities alone. Of cut joints that have drifted
/// open, Phi' is meant in axes that turn with both bodies (joint_kinematics.hpp).
#include <Eigen/Core>
#include <span>
#include <vector>

#include "mechanisms/model/kinematics/kinematics.hpp"

namespace mbdbench {

/// Workspace for all Jacobians of one mechanism.
class Jacobians {
 public:
  using BodyJacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;

  explicit Jacobians(const Mechanism& mechanism);

  /// J_i and Phi_q at the kinematics' positions.
  void set_positions(const Kinematics& kinematics);
  /// Jdot_i and the rate of Phi_q at the kinematics' velocities, after set_positions.
  void set_velocities(const Kinematics& kinematics);

  /// \returns J_i, 6 x nu.
  [[nodiscard]] const BodyJacobian& body(int index) const { return bodies_[static_cast<std::size_t>(index)]; }
  /// \returns Jdot_i, 6 x nu.
  [[nodiscard]] const BodyJacobian& body_rate(int index) const { return rates_[static_cast<std::size_t>(index)]; }
  /// \returns Phi_q, constraint_size() x nu. Rows of a cut joint whose terms cancel to rounding, because the tree
  ///          keeps that constraint by itself, are zero.
  [[nodiscard]] const Eigen::MatrixXd& constraints() const { return constraints_; }
  /// \returns the rate of Phi_q.
  [[nodiscard]] const Eigen::MatrixXd& constraint_rate() const { return constraint_rate_; }

 private:
  /// Adds sign D^T (X J + ...) of one end of a cut joint to its rows of Phi_q.
  void add_end(const Kinematics& kinematics, const Joint& joint, const JointKinematics& state, double sign);
  void add_end_rate(const Kinematics& kinematics, const Joint& joint, const JointKinematics& state, double sign);

  const Mechanism* mechanism_;
  std::vector<BodyJacobian> bodies_;
  std::vector<BodyJacobian> rates_;
  Eigen::MatrixXd constraints_;
  Eigen::MatrixXd constraint_rate_;
  Eigen::VectorXd end_size_;  // largest |d| |X J| of a row: what its terms may cancel from
  BodyJacobian end_;          // X J of one handle
  BodyJacobian end_rate_;     // its rate
};

/// Phi at the kinematics' positions. \param q the coordinates they were set with
/// \param motion_positions value of every prescribed motion at this time, in the order of their rows
/// \param residual constraint_size() entries
void constraint_residual(const Kinematics& kinematics, std::span<const double> q,
                         std::span<const double> motion_positions, std::span<double> residual);

/// Phi' at the kinematics' velocities. \param u the quasi-velocities (prescribed components are read from it)
/// \param motion_velocities rate of every prescribed motion \param residual constraint_size() entries
void constraint_rate_residual(const Kinematics& kinematics, std::span<const double> u,
                              std::span<const double> motion_velocities, std::span<double> residual);

}  // namespace mbdbench
