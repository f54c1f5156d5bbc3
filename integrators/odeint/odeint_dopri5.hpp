#pragma once
/// \file
/// Boost.Odeint's controlled Dormand-Prince 5(4).
#include <span>

#include "integrators/ode.hpp"

namespace mbdbench {

/// Integrates with odeint's controlled runge_kutta_dopri5; samples inside a step from its continuous extension of
/// order 4.
///
/// Evaluations: 1 + 6 (nsteps + nfailed) + the number of states that after_step changed. An attempt that meets a NaN or
/// Inf ends early, is rejected and tried again with a tenth of its step. \throws std::invalid_argument as validate
/// does.
OdeResult odeint_dopri5(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                        const OdeOptions& options, OdeSink& sink);

}  // namespace mbdbench
