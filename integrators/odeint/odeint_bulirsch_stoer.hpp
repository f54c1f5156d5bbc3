#pragma once
/// \file
/// Boost.Odeint's extrapolation method of Bulirsch and Stoer with its continuous extension.
#include <span>

#include "integrators/ode.hpp"

namespace mbdbench {

/// Integrates with odeint's bulirsch_stoer_dense_out: midpoint rules with 2, 6, 10, ... steps, extrapolated until the
/// error estimate is below the tolerance; order 4 to 18. Tolerances by component, error_mask and norm_control hold as
/// in its other controlled methods (OdeintErrorChecker). Samples inside a step from its own interpolation.
///
/// Evaluations: the sums 2, 8, 18, ... less 1 a midpoint rule, and 1 at the end of an accepted step. An attempt that
/// meets a NaN or Inf ends early, is rejected and tried again with a tenth of its step.
/// \throws std::invalid_argument as validate does.
OdeResult odeint_bulirsch_stoer(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                                const OdeOptions& options, OdeSink& sink);

}  // namespace mbdbench
