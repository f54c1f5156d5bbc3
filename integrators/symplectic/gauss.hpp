#pragma once
/// \file
/// The Gauss collocation methods of one, two and three stages with fixed step: symplectic, symmetric, orders 2, 4, 6.
///
/// They are symplectic for x = (q, p) in canonical coordinates; for other states (redundant coordinates, velocities)
/// they are only symmetric. Explicit symplectic methods need a separable Hamiltonian: stormer_verlet.hpp.
#include <span>

#include "integrators/ode.hpp"

namespace mbdbench {

/// Integrates with the implicit midpoint rule, order 2, and step OdeOptions::fixed_step; samples inside a step by cubic
/// Hermite interpolation, order 3.
///
/// The stages are iterated to rounding level by fixed-point iteration; OdeStatistics::niterations counts the sweeps
/// over all stages. Where |h df/dx| is not small the iteration does not converge, and the run ends with
/// OdeStatus::method_failed.
///
/// Evaluations: 1 + nsteps + (number of stages) niterations + the number of states that after_step changed.
/// \throws std::invalid_argument as validate and validate_fixed_step do.
OdeResult implicit_midpoint(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                            const OdeOptions& options, OdeSink& sink);

/// As implicit_midpoint, with two stages: order 4, samples inside a step likewise (bootstrapped_extension.hpp): 2
/// evaluations more for a step that holds some.
OdeResult gauss4(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                 const OdeOptions& options, OdeSink& sink);

/// As implicit_midpoint, with three stages: order 6, samples inside a step likewise: 9 evaluations more for a step that
/// holds some.
OdeResult gauss6(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                 const OdeOptions& options, OdeSink& sink);

}  // namespace mbdbench
