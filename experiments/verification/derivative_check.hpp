#pragma once
/// \file
/// Exact derivatives of a right-hand side against differences of it, and the three ways to them against one another.
#include <Eigen/Core>
#include <functional>
#include <optional>
#include <string>

#include "experiments/verification/tangent_directions.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench {

/// Where the derivatives of one state are compared.
struct DerivativePlace {
  double t = 0.0;
  Eigen::VectorXd x;
  Eigen::VectorXd xdot;
  double rounding = 0.0;    ///< of x', relative to its largest entry: what the condition of the equations explains
  double rate_terms = 0.0;  ///< largest term of which rates of velocities or momenta are sums: they round by these
  /// Largest term of which these rates' changes along the direction are sums, by velocities: likewise.
  double change_terms = 0.0;
  double step = 0.0;  ///< of differences along a direction
};

/// One comparison: an error and what explains it, over the sum of the absolute terms of the product, or over a tenth of
/// the rates where differences are compared and that is more.
struct DerivativeDeviation {
  double error = 0.0;
  double tolerance = 0.0;
  bool by_differences = false;
  std::string component;  ///< "v.joint2 by differences"
};

/// \returns how the formulation's state changes with coordinates and velocities, by differences of states that it packs
/// with a step; nothing where it cannot pack them, or takes them for states of another meaning.
std::optional<Eigen::VectorXd> state_direction(Formulation& formulation, const VerificationState& state,
                                               const TangentDirection& along, double step);

/// With rows J of Formulation::jacobian and a direction v of the state: J v against differences of x' along v,
/// jacobian_vector against J v, vector_jacobian against w J for weights w, and (w J) v against w (J v). Position rates
/// and rates of velocities or momenta are told apart, since their units differ. Where central differences disagree,
/// those of either side count: a load may bend within the steps. 6 right-hand sides a direction, up to 12 more there.
/// \param random draws the weights \param tell takes every comparison
/// \returns what could not be evaluated; empty when all is well
std::string compare_derivatives(Formulation& formulation, const DerivativePlace& place,
                                const Eigen::VectorXd& direction, RandomSource& random,
                                const std::function<void(const DerivativeDeviation&)>& tell);

}  // namespace mbdbench
