#pragma once
/// \file
/// Static equilibria: coordinates at which a mechanism at rest stays at rest, and whether it comes back to them. Steady
/// motions likewise: coordinates at which velocities stay as they are.
///
/// Source: C. T. Kelley, D. E. Keyes, Convergence analysis of pseudo-transient continuation, SIAM J. Numer. Anal. 35
/// (1998) 508-523, with their switched evolution relaxation: (lambda - A) step = c'', A the derivatives of the
/// accelerations c'' at rest along the freedoms c. A large lambda follows the motion of the same mechanism in honey,
/// which ends in a stable equilibrium; a small one is Newton's method. Of steady motions the honey turns along.
#include <Eigen/Core>
#include <string>

#include "experiments/equilibria/tangent_motion.hpp"
#include "experiments/verification/derivatives/linear_motion.hpp"

namespace mbdbench {

/// What disturbances of an equilibrium do.
enum class Stability {
  stable,    ///< all die out
  marginal,  ///< none grows, some stay: nothing damps them, or nothing holds them
  unstable   ///< some grow
};

/// \returns "stable", "marginal", "unstable".
std::string_view to_string(Stability stability);

struct EquilibriumOptions {
  /// Newton's method alone: to an equilibrium near the start, unstable ones included.
  bool nearest = false;
  int most_steps = 500;
};

struct Equilibrium {
  Eigen::VectorXd q;
  Eigen::VectorXd u;      ///< zero at rest
  double residual = 0.0;  ///< max |c''|, 1/s^2: angular accelerations, others over the mechanism's length
  double limit = 0.0;     ///< below which it counts as found: rounding of the accelerations
  int steps = 0;
  std::string failure;  ///< why none was found; empty when all is well
  /// Where branches of the motion meet: there is no motion near it that is linear, and no verdict on it.
  bool singular = false;
  /// A steady motion near which disturbances meet forces that change along it: no eigenvalues tell of them.
  bool periodic = false;
  bool exact = false;   ///< whether the derivatives are
  LinearMotion motion;  ///< near it, of freedoms and their rates; modes are of the state of coordinates and velocities
  Stability stability = Stability::marginal;

  /// \returns whether something is said of disturbances.
  [[nodiscard]] bool has_verdict() const { return !singular && !periodic; }
};

/// From where the motion is.
/// \throws std::runtime_error where accelerations cannot be evaluated, std::invalid_argument where nothing can move
Equilibrium find_equilibrium(TangentMotion& motion, const EquilibriumOptions& options);

}  // namespace mbdbench
