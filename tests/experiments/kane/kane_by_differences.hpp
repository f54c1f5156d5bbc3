#pragma once
/// \file
/// A second reference for `dense`, which shares nothing with it: T. R. Kane, D. A. Levinson, Dynamics: Theory and
/// Applications, McGraw-Hill 1985. Partial velocities and accelerations come from differences of poses along motions
/// with constant quasi-velocities, in long double; poses follow from the description by the definitions of
/// docs/using/mechanisms/mechanisms.md.
///
/// | symbol | here | |
/// |---|---|---|
/// | v_r, w_r | `first_` | partial velocities of centres of mass, partial angular velocities |
/// | a_t, alpha_t | `second_` | what is left of the accelerations where u' = 0 |
/// | F_r | `forces` | generalised active forces |
///
/// Closed loops: the coordinates and quasi-velocities of cut joints are unknowns as well, and the joint's frame on b,
/// once through b and once through a and the joint, moves alike: six rows a cut. Loads in cut joints then are
/// generalised forces like all others. Rows that others repeat drop out in an orthogonal decomposition.
///
/// Differences of eighth order with the step h leave h^8 of truncation and eps / h^2 of rounding, both below 1e-13 of
/// the second derivative with eps = 5e-20. Cost O(n^3), for tests.
#include <Eigen/Core>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// u' of the tree joints.
struct KaneAccelerations {
  Eigen::VectorXd rates;
  double without_loops = 0.0;  ///< largest u' if no constraint held: what loops take away has to cancel that
};

/// At the mechanism's initial state and t = 0.
KaneAccelerations accelerations_by_differences(const Mechanism& mechanism);

}  // namespace mbdbench
