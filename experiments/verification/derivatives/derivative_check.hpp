#pragma once
/// \file
/// Exact derivatives of a right-hand side against differences of it, and the three ways to them against one another.
#include <Eigen/Core>
#include <optional>
#include <string>

#include "experiments/verification/derivatives/derivative_comparison.hpp"
#include "experiments/verification/derivatives/tangent_directions.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench {

/// \returns how the formulation's state changes with coordinates and velocities, by differences of states that it packs
/// with a step; nothing where it cannot pack them, or takes them for states of another meaning.
std::optional<Eigen::VectorXd> state_direction(Formulation& formulation, const VerificationState& state,
                                               const TangentDirection& along, double step);

/// With rows J of Formulation::jacobian and a direction v of the state: J v against differences of x' along v, and
/// where there is one against a reference, jacobian_vector against J v, vector_jacobian against w J for weights w, and
/// (w J) v against w (J v). Position rates and rates of velocities or momenta are told apart, since their units differ.
/// \param random draws the weights \param exact how x' changes along the direction, in 113 bits; empty where there is
/// no such reference \returns what could not be evaluated; empty when all is well
std::string compare_derivatives(Formulation& formulation, const DerivativePlace& place,
                                const Eigen::VectorXd& direction, const Eigen::VectorXd& exact, RandomSource& random,
                                const DeviationSink& tell);

}  // namespace mbdbench
