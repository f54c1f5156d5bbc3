#pragma once
/// \file
/// Motion near a state: eigenvalues and modes of the exact derivatives of a right-hand side.
#include <Eigen/Core>
#include <string>
#include <vector>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// x' = f(x*) + A (x - x*). Of open trees eigenvalues and modes are those of A; quaternions have a direction that is no
/// motion, their length: an eigenvalue of 0 each; of those that turn, eigenvalues are those of displacements along axes
/// of the body. With loops they are those of A along what keeps the constraints (tangent_directions.hpp), two for each
/// degree of freedom; so are those of states with independent coordinates alone.
struct LinearMotion {
  Eigen::MatrixXd derivatives;   ///< A
  Eigen::VectorXd rates;         ///< f(x*); zero in an equilibrium
  Eigen::VectorXcd eigenvalues;  ///< 1/s, those with the largest imaginary part first, then the largest real part
  Eigen::MatrixXcd modes;        ///< a column an eigenvalue, of length 1
  /// Whether A takes directions that keep the constraints out of them, as where a loop turns that moves: what is
  /// outside is left out, at a right angle in the components of the state, and in other coordinates eigenvalues are
  /// others.
  /// States of independent coordinates have none to leave: beside equilibria their eigenvalues are those of these.
  bool leaves_constraints = false;

  /// \returns the component of the state that moves most in a mode.
  [[nodiscard]] Eigen::Index largest_component(Eigen::Index mode) const;
};

/// \throws std::invalid_argument where nothing can move or the formulation has no exact derivatives, std::runtime_error
/// where the state has none or the eigenvalues do not converge
LinearMotion linear_motion(Formulation& formulation, double t, const std::vector<double>& x);

/// The same of given derivatives. \throws std::runtime_error where the eigenvalues do not converge
LinearMotion linear_motion(Eigen::MatrixXd derivatives, Eigen::VectorXd rates);

}  // namespace mbdbench
