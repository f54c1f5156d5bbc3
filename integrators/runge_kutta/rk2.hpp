#pragma once
/// \file
/// The explicit midpoint rule, the classical Runge-Kutta method of order 2, with fixed step.
#include <span>

#include "integrators/ode.hpp"

namespace mbdbench {

/// Integrates with the explicit midpoint rule and step OdeOptions::fixed_step; samples inside a step by cubic Hermite
/// interpolation, order 3.
///
/// Evaluations: 1 + 2 nsteps + the number of states that after_step changed. \throws std::invalid_argument as validate
/// and validate_fixed_step do.
OdeResult rk2(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
              const OdeOptions& options, OdeSink& sink);

}  // namespace mbdbench
