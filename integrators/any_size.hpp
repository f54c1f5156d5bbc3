#pragma once
/// \file
/// Systems without a component: nothing moves and no method errs, but samples and steps still go to the sink.
#include "integrators/ode.hpp"

namespace mbdbench {

/// Solves a system of size 0: samples as asked for, steps of the fixed or largest step of the options, else a tenth of
/// the interval, which adaptive methods take where no derivative limits them.
OdeResult solve_without_components(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                                   const OdeOptions& options, OdeSink& sink);

/// A method as the registry lists it: for systems of any size.
template <auto Method>
OdeResult on_any_size(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                      const OdeOptions& options, OdeSink& sink) {
  return system.size > 0 ? Method(system, tspan, x0, options, sink)
                         : solve_without_components(system, tspan, x0, options, sink);
}

}  // namespace mbdbench
