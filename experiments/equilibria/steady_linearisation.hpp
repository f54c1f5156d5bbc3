#pragma once
/// \file
/// The motion near an equilibrium or a steady motion, as linear equations with constant coefficients, if it is one.
#include <Eigen/Core>

#include "experiments/equilibria/tangent_motion.hpp"
#include "experiments/verification/derivatives/linear_motion.hpp"

namespace mbdbench {

/// x = E c with E what the constraints leave free of displacements and velocity changes: c' = A c. Displacements are
/// meant along axes that go on with the motion: bodies on ball joints have those of the body.
struct SteadyLinearisation {
  Eigen::MatrixXd directions;   ///< E, 2 u_size() rows: displacements as velocities, then changes of u; without units
  Eigen::MatrixXd derivatives;  ///< A
  Eigen::MatrixXd ignorable;    ///< orthonormal columns c, on which nothing depends: A c = 0
  bool exact = false;
  bool leaves_constraints = false;  ///< what the constraints leave free changes along the motion
};

/// Where the motion is. O(n^3). \throws std::runtime_error where accelerations cannot be evaluated
SteadyLinearisation steady_linearisation(TangentMotion& motion);

/// \returns whether two of them, at two places of a steady motion, are the same equations.
bool same_equations(const SteadyLinearisation& a, const SteadyLinearisation& b);

/// Eigenvalues without those of what is ignorable; modes of the formulation's state, which do move that too.
/// \param there of steady_linearisation at the same place
LinearMotion motion_near(TangentMotion& motion, const SteadyLinearisation& there);

}  // namespace mbdbench
