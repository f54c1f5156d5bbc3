#pragma once
/// \file
/// SUNDIALS CVODE: Adams and BDF methods of variable order and step.
#include <span>

#include "integrators/ode.hpp"

namespace mbdbench {

/// Integrates with CVODE's Adams-Moulton methods (order 1 to 12), each step solved by fixed-point iteration. Samples
/// inside a step from CVODE's interpolant, of the order of the step. A state that after_step changed by
/// more than ten times the tolerance restarts at order 1.
///
/// Errors are measured in CVODE's weighted root mean square norm over the components under control, with weights
/// 1 / (rtol |x_i| + atol_i), with norm control in the Euclidean norm against rtol |x| + atol. First step: CVODE's own
/// rule unless OdeOptions::initial_step is set, after a change the step in which |h f| is 0.8 rtol^(1/2) of |x|;
/// largest step: none unless OdeOptions::max_step is set.
///
/// Statistics: nfailed counts failed error tests and steps that could not be solved; niterations counts the iterations
/// of the steps. \throws std::invalid_argument as validate does, std::runtime_error when CVODE refuses its set-up.
OdeResult cvode_adams(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                      const OdeOptions& options, OdeSink& sink);

/// As cvode_adams, with the backward differentiation formulas (order 1 to 5), each step solved by Newton's method with
/// a dense difference Jacobian, which CVODE keeps for several steps. Statistics: npds, ndecomps, and one of nsolves
/// each of niterations; a Jacobian costs as many evaluations as there are components, which nfevals includes.
OdeResult cvode_bdf(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                    const OdeOptions& options, OdeSink& sink);

}  // namespace mbdbench
