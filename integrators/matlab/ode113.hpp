#pragma once
/// \file
/// MATLAB's ode113: Adams-Bashforth-Moulton of orders 1 to 13 in PECE mode, with variable step and order.
#include <span>

#include "integrators/ode.hpp"

namespace mbdbench {

/// Integrates with the Adams formulas of orders 1 to 12 and local extrapolation, and samples from the polynomial of the
/// last step.
///
/// Samples: at the end of every step by default. Evaluations: 1 + 2 nsteps + nfailed, and for each state that
/// after_step changed by more than ten times the tolerance one more; such a state ends the history, and the method goes
/// on from order 1 with a step of its own choice. A NaN or Inf in the state that an attempt corrects to, or in f there,
/// rejects the attempt at the cost of that evaluation; the run ends with OdeStatus::not_finite when the step cannot
/// shrink further. \throws std::invalid_argument as validate does.
OdeResult ode113(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                 const OdeOptions& options, OdeSink& sink);

}  // namespace mbdbench
