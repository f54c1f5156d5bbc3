#include "integrators/symplectic/trapezoidal.hpp"

#include "integrators/fixed_step_loop.hpp"
#include "integrators/symplectic/trapezoidal_step.hpp"

namespace mbdbench {

OdeResult trapezoidal(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                      const OdeOptions& options, OdeSink& sink) {
  return solve_with_fixed_step<TrapezoidalStep>(system, tspan, x0, options, sink);
}

}  // namespace mbdbench
