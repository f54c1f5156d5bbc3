#pragma once
/// \file
/// Boost.Odeint's controlled Runge-Kutta-Fehlberg 7(8).
#include <span>

#include "integrators/ode.hpp"

namespace mbdbench {

/// Integrates with odeint's controlled runge_kutta_fehlberg78, which propagates the solution of order 8. Odeint has no
/// continuous extension for it; samples inside a step come from one of order 8, bootstrapped from one of order 5 over
/// the pair's own stages (bootstrapped_extension.hpp), at 15 evaluations more for a step that holds some.
///
/// Evaluations: 1 + 13 nsteps + 12 nfailed + the number of states that after_step changed. An attempt that meets a NaN
/// or Inf ends early, is rejected and tried again with a smaller step. \throws std::invalid_argument as validate does.
OdeResult odeint_fehlberg78(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                            const OdeOptions& options, OdeSink& sink);

}  // namespace mbdbench
