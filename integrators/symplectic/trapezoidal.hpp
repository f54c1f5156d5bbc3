#pragma once
/// \file
/// The implicit trapezoidal rule with fixed step.
#include <span>

#include "integrators/ode.hpp"

namespace mbdbench {

/// Integrates with the trapezoidal rule and step OdeOptions::fixed_step; samples inside a step by cubic Hermite
/// interpolation, order 3. The tolerances of OdeOptions set the increments of the difference Jacobian only.
///
/// Each step is solved to rounding level by Newton's method with a Jacobian that is kept from step to step until it
/// makes the iteration slow. OdeStatistics::niterations counts the iterations. A step that cannot be solved ends the
/// run with OdeStatus::method_failed.
///
/// Evaluations: 1 + nsteps + niterations + (number of components) npds + the number of states that after_step changed.
/// \throws std::invalid_argument as validate and validate_fixed_step do.
OdeResult trapezoidal(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                      const OdeOptions& options, OdeSink& sink);

}  // namespace mbdbench
