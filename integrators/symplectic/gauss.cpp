#include "integrators/symplectic/gauss.hpp"

#include "integrators/fixed_step_loop.hpp"
#include "integrators/symplectic/gauss_step.hpp"

namespace mbdbench {

OdeResult implicit_midpoint(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                            const OdeOptions& options, OdeSink& sink) {
  return solve_with_fixed_step<GaussStep<1>>(system, tspan, x0, options, sink);
}

OdeResult gauss4(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                 const OdeOptions& options, OdeSink& sink) {
  return solve_with_fixed_step<GaussStep<2>>(system, tspan, x0, options, sink);
}

OdeResult gauss6(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                 const OdeOptions& options, OdeSink& sink) {
  return solve_with_fixed_step<GaussStep<3>>(system, tspan, x0, options, sink);
}

}  // namespace mbdbench
