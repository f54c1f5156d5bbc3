#pragma once
/// \file
/// States at which right-hand sides are compared: the mechanism's initial one and random ones that keep its
/// constraints.
#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// Time, tree coordinates and quasi-velocities.
struct VerificationState {
  double t = 0.0;
  Eigen::VectorXd q;
  Eigen::VectorXd u;
  /// The state (q, p) is at p = M u + Phi_q^T gauge: the same motion with sigma = -gauge, so that terms in sigma count.
  Eigen::VectorXd gauge;
};

/// States of one mechanism.
struct VerificationStates {
  std::vector<VerificationState> states;
  int skipped = 0;  ///< random states whose loops could not be closed
};

/// \returns the initial state and up to `random_count` random ones: coordinates perturbed, quaternions and velocities
///          drawn, loops closed by the model. Times are random except where constraints depend on time.
VerificationStates draw_verification_states(const Mechanism& mechanism, int random_count, std::int64_t seed);

}  // namespace mbdbench
