#pragma once
/// \file
/// A reference for exact derivatives with all digits of a double: how rates change along the constraints, by
/// differences of Kane's equations in numbers of 113 bits (kane_equations.hpp). Loops in space, velocities and momenta.
///
/// A motion s -> (q(s), u(s)) starts along quasi-velocities that the constraints allow, with velocities that they allow
/// at each q(s). It leaves the closed loops by s^2 alone, which its derivatives at s = 0 do not see. Differences of
/// fourth order with steps of 1e-6 leave 1e-17 of what they are differences of.
#include <Eigen/Core>

#include "mechanisms/catalogue/trees/random_source.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// A state of the tree joints, whose loops are closed to the last bit, and its rates.
struct KaneMotion {
  Eigen::VectorXd q;
  Eigen::VectorXd u;
  Eigen::VectorXd rates;    ///< u'
  Eigen::VectorXd momenta;  ///< M u
  /// Their derivatives by time without what reactions can take: p' of the tangent gauge, of which M^-1 p' keeps the
  /// constraints (docs/understanding/formulations/hdca.md).
  Eigen::VectorXd moment_rates;
};

/// Where a motion is, and the derivatives of all of it by s; of q, the quasi-velocities along which it changes.
struct KaneDerivatives {
  KaneMotion here;
  KaneMotion changes;
};

/// \param random draws velocities and the direction \throws std::invalid_argument for joints without coordinates
KaneDerivatives derivatives_by_differences(const Mechanism& mechanism, RandomSource& random);

}  // namespace mbdbench
