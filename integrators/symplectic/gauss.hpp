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
/// The stages are iterated to rounding level; OdeStatistics::niterations counts the sweeps over all stages. With
/// OdeOptions::newton_stages they are iterated by simplified Newton's method, whose Jacobian is kept from step to step
/// until it makes the iteration slow. Otherwise by fixed-point iteration, which does not converge where |h df/dx| is
/// not small: from the first such step on Newton's method goes on, in systems of up to 2000 components. Both solve the
/// same equations, so the solution is the same to rounding. Where neither converges the run ends with
/// OdeStatus::method_failed.
///
/// Evaluations: 1 + nsteps + (number of stages) niterations + the number of states that after_step changed, and (number
/// of components) npds where Jacobians are differences.
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
