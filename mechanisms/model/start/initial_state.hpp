#pragma once
/// \file
/// The consistent initial state: dependent coordinates and velocities from the given ones.
#include <Eigen/Core>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// Initial coordinates and quasi-velocities of the tree joints.
struct InitialState {
  Eigen::VectorXd q;
  Eigen::VectorXd u;
  /// Coordinates of every cut joint; angles within half a turn of the given ones.
  std::vector<std::vector<double>> cut_q;
};

/// \returns the start as the description has it; its cut_q is empty.
InitialState given_initial_state(const Mechanism& mechanism);

/// Gauss-Newton on Phi(q, 0) = 0 and the minimum-norm change of u for Phi_q u + Phi_t = 0, changing only joints marked
/// `dependent` (all, where none is marked). A state that is consistent to rounding already is returned unchanged.
/// \param state the given one
/// \throws ModelError naming the joint that stays open.
InitialState consistent_initial_state(const Mechanism& mechanism, InitialState state);

}  // namespace mbdbench
