#pragma once
/// \file
/// A short piece of the motion through a state, by `dense` in steps that are small next to the times in which the state
/// changes: rates that jump from one of its states to the next are not those of a smooth motion.
#include <Eigen/Core>
#include <vector>

#include "formulations/formulation.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"

namespace mbdbench {

/// A state of the motion.
struct NeighbouringState {
  double t = 0.0;
  Eigen::VectorXd q;
  Eigen::VectorXd u;
  Eigen::VectorXd p;  ///< M u - Phi_q^T mu with the same mu at all of them: a gauge as smooth as the motion
};

/// States one step apart.
struct NeighbouringStates {
  std::vector<NeighbouringState> states;  ///< empty where dense cannot follow the motion
  /// Largest second difference of q' and u' over the largest of each: what a smooth motion shows over these steps.
  double roughness = 0.0;
};

/// \param velocity_form, momentum_form of one mechanism, in joint coordinates and velocities or momenta
/// \param x (q, u) at t \param mu as many as constraints \param time_scale in which the state changes, s
NeighbouringStates neighbouring_states(Formulation& velocity_form, Formulation& momentum_form, double t,
                                       const Eigen::VectorXd& x, const Eigen::VectorXd& mu, double time_scale);

}  // namespace mbdbench
