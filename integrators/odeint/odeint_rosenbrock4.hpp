#pragma once
/// \file
/// Boost.Odeint's Rosenbrock method of order 4 with step size control.
#include <span>

#include "integrators/ode.hpp"

namespace mbdbench {

/// Integrates with odeint's rosenbrock4; df/dx and df/dt by forward differences. The error test is that of the other
/// controlled steppers of odeint (OdeintErrorChecker) instead of rosenbrock4_controller's root mean square, so that
/// tolerances by component, error_mask and norm_control hold here too. Samples inside a step have order 4,
/// bootstrapped from its continuous extension of order 3 at 2 evaluations more for a step that holds some.
///
/// Evaluations: 1 + 6 nsteps + 5 nfailed + (number of components + 1) npds + the number of states that after_step
/// changed. An attempt that meets a NaN or Inf ends early, is rejected and tried again with a tenth of its
/// step. \throws std::invalid_argument as validate does.
OdeResult odeint_rosenbrock4(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                             const OdeOptions& options, OdeSink& sink);

}  // namespace mbdbench
