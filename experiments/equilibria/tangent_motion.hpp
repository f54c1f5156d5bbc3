#pragma once
/// \file
/// Accelerations at rest and their derivatives along what the constraints leave free: what equilibria are found with.
#include <Eigen/Core>
#include <memory>
#include <string>

#include "experiments/registries/registries.hpp"
#include "formulations/formulation.hpp"
#include "formulations/joint_state.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/loads/motions.hpp"

namespace mbdbench {

/// One mechanism at rest, moved along its constraints. Freedoms c are scaled: one of 1 turns by about 1, or moves by
/// about the mechanism's length. O(n^3) a change of position with loops.
class TangentMotion {
 public:
  /// Takes `aba` where it has exact derivatives of the mechanism, otherwise `dense`, with differences of fourth order
  /// where that has none or loops are singular.
  /// \throws std::invalid_argument for prescribed motions, which are no rest; ModelError where no formulation takes it
  TangentMotion(const Registries& registries, const Mechanism& mechanism, double t);

  /// \returns the key of the formulation.
  [[nodiscard]] const std::string& formulation_key() const { return key_; }
  [[nodiscard]] Formulation& formulation() { return *formulation_; }
  [[nodiscard]] double time() const { return t_; }
  [[nodiscard]] const Eigen::VectorXd& q() const { return q_; }
  [[nodiscard]] Eigen::Index freedoms() const { return basis_.cols(); }
  /// \returns Z: how u follows from rates of the freedoms.
  [[nodiscard]] const Eigen::MatrixXd& basis() const { return basis_; }

  /// Goes to coordinates that close the loops.
  void set_positions(const Eigen::VectorXd& q);
  /// \returns the coordinates at a step of the freedoms from here, loops closed again; empty where that fails.
  [[nodiscard]] Eigen::VectorXd moved(const Eigen::VectorXd& step);

  /// \returns c'' at rest here, 1/s^2. \throws std::runtime_error where the equations have no solution
  Eigen::VectorXd accelerations();
  /// Derivatives of c'' with respect to c and c' at rest here. \returns whether they are exact \throws likewise
  bool linearise(Eigen::MatrixXd& by_positions, Eigen::MatrixXd& by_velocities);
  /// \returns the state of the formulation that changes with c and c': its coordinates, then velocities.
  [[nodiscard]] Eigen::MatrixXcd state_modes(const Eigen::MatrixXcd& modes) const;

 private:
  /// \returns u' at coordinates and velocities.
  Eigen::VectorXd accelerations_at(const Eigen::VectorXd& q, const Eigen::VectorXd& u);
  [[nodiscard]] Eigen::VectorXd coordinate_change(const Eigen::VectorXd& velocities) const;
  /// \param reach by how much the loops may be corrected, in units of the mechanism
  [[nodiscard]] bool close(Eigen::VectorXd& q, double reach);
  void set_basis();
  [[nodiscard]] Eigen::MatrixXd differences(bool of_positions);

  const Mechanism* mechanism_;
  double t_;
  std::string key_;
  std::unique_ptr<Formulation> formulation_;
  bool exact_ = false;
  CoordinateRates coordinate_rates_;
  Kinematics kinematics_;
  Jacobians jacobians_;
  PrescribedMotions motions_;
  Eigen::VectorXd q_;
  Eigen::MatrixXd basis_;
  Eigen::MatrixXd left_inverse_;  // of the basis
};

}  // namespace mbdbench
