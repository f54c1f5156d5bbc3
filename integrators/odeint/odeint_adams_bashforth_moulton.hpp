#pragma once
/// \file
/// Boost.Odeint's Adams-Bashforth-Moulton method of order 4.
#include <span>

#include "integrators/ode.hpp"

namespace mbdbench {

/// Integrates with odeint's adams_bashforth_moulton<4> and step OdeOptions::fixed_step. The first three steps, those
/// after a state that after_step changed, and a shorter last one are odeint's runge_kutta4, its starting method.
/// Samples inside a step by cubic Hermite interpolation, order 3.
///
/// Evaluations: 1 + 2 nsteps + 2 (steps of the starting method) + the number of states that after_step changed. The
/// evaluation that odeint repeats at the start of each step is not repeated. \throws std::invalid_argument as validate
/// and validate_fixed_step do.
OdeResult odeint_adams_bashforth_moulton(const OdeSystem& system, std::span<const double> tspan,
                                         std::span<const double> x0, const OdeOptions& options, OdeSink& sink);

}  // namespace mbdbench
