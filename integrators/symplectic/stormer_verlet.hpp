#pragma once
/// \file
/// The Stoermer-Verlet method with fixed step: explicit, symplectic, symmetric, order 2, for separable systems only.
#include <span>

#include "integrators/ode.hpp"

namespace mbdbench {

/// Integrates q' = v(t, p), p' = f(t, q) with step OdeOptions::fixed_step; samples inside a step by cubic Hermite
/// interpolation, order 3.
///
/// Evaluations: 1 + 3 nsteps + the number of states that after_step changed. The right-hand side gives v and f
/// together, and a step uses one half of each; a program that computes them apart would do the work of one evaluation.
/// \throws std::invalid_argument for a system that does not state OdeSystem::separable_positions, and as validate and
///         validate_fixed_step do.
OdeResult stormer_verlet(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                         const OdeOptions& options, OdeSink& sink);

}  // namespace mbdbench
