#pragma once
/// \file
/// The adaptive method that table 3 of [Naudet2005] most likely comes from, which the paper does not describe:
/// Fehlberg's pair, started anew at every output time.
///
/// What speaks for it. Figures 9 and 10 count "per time step of 0.01 s how many iterations were needed by the solver",
/// so the solver works from one output to the next. Evaluations are 6 an accepted step and 5 a rejected one, as the
/// text says. Some 20 000 combinations were tried: absolute, mixed and relative errors in the largest, Euclidean and
/// mean square norm, also per unit step; exponents 1/4 and 1/5; safety factors 0.8 to 1; limits of growth; halving and
/// doubling; first steps of 0.0005 s to 0.005 s after each output, or the step carried over. All that come within a few
/// per cent of the eight counts and local errors of table 3 start anew at every output with a step of 0.0005 s to
/// 0.00125 s, let it grow without a limit, and measure absolute errors. With the step carried over the best one is off
/// by up to 7 % in the counts and by half in the local errors.
///
/// | Fehlberg45 | order 4 propagated, estimate |y5 - y4| |
/// |---|---|
/// | error <= tol | accept; largest absolute error of the controlled components |
/// | h 0.9 (tol / error)^(1/5), at least h / 10 | next step or attempt |
///
/// Cost an attempt: 5 evaluations of f, one more when it is accepted. All memory is taken before the first step.
#include "integrators/ode.hpp"

namespace mbdbench::naudet2005 {

/// Key in the records; not an integrator of the registry.
inline constexpr const char* kRestartedFehlberg = "rkf45-restarted";

/// As OdeEntry::solve, forward in time only. \param tspan every time is a restart \param options initial_step: of every
/// restart, needed; absolute_tolerance: its first entry holds for all components; relative_tolerance is not used
/// \throws std::invalid_argument without a first step and for times that go backward, and as `validate` does
OdeResult restarted_fehlberg(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                             const OdeOptions& options, OdeSink& sink);

/// \returns the method as an integrator.
OdeEntry restarted_fehlberg_entry();

}  // namespace mbdbench::naudet2005
