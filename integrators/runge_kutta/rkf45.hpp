#pragma once
/// \file
/// Runge-Kutta-Fehlberg 4(5), with fixed step and with step size control.
#include <span>

#include "integrators/ode.hpp"

namespace mbdbench {

/// Integrates with Fehlberg's pair and step OdeOptions::fixed_step. The solution of order 4 is propagated, that of
/// order 5 with OdeOptions::propagate_higher_order; OdeOptions::record_local_error keeps |y5 - y4|. Samples inside a
/// step from a continuous extension of order 4 over the pair's stages.
///
/// Evaluations: 1 + 6 nsteps + the number of states that after_step changed. \throws std::invalid_argument as validate
/// and validate_fixed_step do.
OdeResult rkf45_fixed(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                      const OdeOptions& options, OdeSink& sink);

/// As rkf45_fixed, with |y5 - y4| kept below the tolerances of OdeOptions, measured as MATLAB's solvers do (ErrorNorm).
/// Propagating order 4, the error at tf goes with the tolerance to the power 4/5; propagating order 5, with the
/// tolerance.
///
/// Evaluations: 1 + 6 nsteps + 5 nfailed + the number of states that after_step changed; an attempt that meets a NaN or
/// Inf ends early. \throws std::invalid_argument as validate does.
OdeResult rkf45(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                const OdeOptions& options, OdeSink& sink);

}  // namespace mbdbench
