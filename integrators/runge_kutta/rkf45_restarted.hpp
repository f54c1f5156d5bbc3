#pragma once
/// \file
/// The adaptive method that table 3 of [Naudet2005] most likely comes from, which the paper does not describe:
/// Fehlberg's pair, started anew at every output time.
///
/// It is no method of the integrators' registry: output times change its steps, which none of those does.
///
/// What speaks for it. Figures 9 and 10 count "per time step of 0.01 s how many iterations were needed by the solver",
/// so the solver works from one output to the next. Evaluations are 6 an accepted step and 5 a rejected one, as the
/// text says. Of 5772 candidates (docs/understanding/papers/paper_runs.md) no other one meets the four counts and the
/// four local errors of the table as well at once: 2.2 % and 5.8 %. All ten that meet the counts within 5 % and the
/// local errors within 15 % start anew every 0.01 s and measure absolute errors; first steps of 0.0005 s to 0.002 s,
/// the largest component or the Euclidean norm and safety factors of 0.85 to 1 are not told apart. The nearest one of
/// another kind, 7.2 % and 15 %, halves and doubles its step, goes on from steps cut short at the outputs and measures
/// relative errors; where the step before such a cut stays in force, the best one misses the counts by 29 %.
///
/// | Fehlberg45 | order 4 propagated, estimate |y5 - y4| |
/// |---|---|
/// | error <= tol | accept; largest error of the controlled components over their absolute tolerances |
/// | h 0.9 (tol / error)^(1/5), at least h / 10 | next step or attempt |
///
/// Cost an attempt: 5 evaluations of f, one more when it is accepted. All memory is taken before the first step.
#include "integrators/any_size.hpp"
#include "integrators/ode.hpp"

namespace mbdbench {

/// As OdeEntry::solve, forward in time only. \param tspan every time is a restart \param options initial_step: of every
/// restart; unset: a tenth of the time to the next output. relative_tolerance is not used
/// \throws std::invalid_argument for times that go backward, and as `validate` does
OdeResult rkf45_restarted(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                          const OdeOptions& options, OdeSink& sink);

/// The method as an integrator.
inline constexpr OdeEntry kRestartedFehlberg = {
    "rkf45-restarted",
    "Fehlberg 4(5) started anew at every output time, absolute tolerances only, forward in time",
    "Naudet2005",
    4,
    true,
    on_any_size<rkf45_restarted>,
    false,
    true};

}  // namespace mbdbench
