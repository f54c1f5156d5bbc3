#pragma once
/// \file
/// Smallest, largest and first step of the adaptive methods.
///
/// Source: L. F. Shampine, M. W. Reichelt, The MATLAB ODE Suite, SIAM J. Sci. Comput. 18 (1997) 1-22, and the
/// documentation of MATLAB's odeset (MaxStep, InitialStep). Cost: a few operations.
#include <span>

#include "integrators/error_norm.hpp"
#include "integrators/ode.hpp"

namespace mbdbench {

/// \returns 16 eps(t), MATLAB's smallest meaningful step at time t (eps(t): distance from |t| to the next larger
/// double).
double smallest_step(double t);

/// Default largest step of MATLAB's solvers as a fraction of the interval.
inline constexpr double kDefaultLargestStepFraction = 0.1;

/// \param fraction the method's default maximal step as a fraction of the interval.
/// \returns OdeOptions::max_step, or by default fraction * |tf - t0|; never more than the interval.
double largest_step(std::span<const double> tspan, const OdeOptions& options, double fraction);

/// What distinguishes the methods in the choice of the first step.
struct FirstStepRule {
  /// The step is chosen so that |h f0| relative to |x0| is this much: 0.8 rtol^(1/5) in ode45.
  double relative_change = 0.0;
  /// Upper limit: the largest step, for MATLAB's methods also tspan[1] - tspan[0].
  double upper_limit = 0.0;
};

/// The step that the method chooses by itself: min(upper_limit, relative_change / |f|) with |f| measured by `norm`
/// against x; at most `largest`, never below smallest_step(t).
double automatic_step(double t, std::span<const double> x, std::span<const double> f, const ErrorNorm& norm,
                      double largest, const FirstStepRule& rule);

/// First step: OdeOptions::initial_step within [smallest_step(t0), largest], else automatic_step.
/// \param x0, f0 state and derivative at t0, of the system's size.
/// \param largest result of largest_step.
/// \returns the size (positive) of the first step to try.
double first_step(double t0, std::span<const double> x0, std::span<const double> f0, const OdeOptions& options,
                  const ErrorNorm& norm, double largest, const FirstStepRule& rule);

}  // namespace mbdbench
