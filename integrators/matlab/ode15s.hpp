#pragma once
/// \file
/// MATLAB's ode15s for stiff problems: numerical differentiation formulas of orders 1 to 5 with variable step and
/// order.
#include <span>

#include "integrators/ode.hpp"

namespace mbdbench {

/// Integrates with the numerical differentiation formulas, a Jacobian by differences that is kept while Newton's
/// iteration converges with it, and samples from the polynomial of the last step.
///
/// Samples: at the end of every step by default. Evaluations: one at the start and one for df/dt there (saved by
/// OdeOptions::initial_step); the Jacobian's columns, and for every Jacobian but the first f at its point; one for each
/// iteration, that is, for each linear solve. A state that after_step changed by more than ten times the tolerance
/// costs two, f and df/dt: it ends the history, the method goes on from order 1 with a step of its own choice, and the
/// Jacobian is kept. A failed attempt is one whose iteration did not converge or whose error was too large. A NaN or
/// Inf in an attempt rejects it; the run ends with OdeStatus::not_finite when the step cannot shrink further or the
/// Jacobian meets it. \throws std::invalid_argument as validate does.
OdeResult ode15s(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                 const OdeOptions& options, OdeSink& sink);

/// The same with the backward differentiation formulas (MATLAB's option BDF).
OdeResult ode15s_bdf(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                     const OdeOptions& options, OdeSink& sink);

}  // namespace mbdbench
