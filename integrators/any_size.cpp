#include "integrators/any_size.hpp"

#include <cmath>

#include "integrators/fixed_step_loop.hpp"
#include "integrators/step_size.hpp"

namespace mbdbench {
namespace {

/// The state at the end of a step is that at its start.
class Rest {
 public:
  Rest(const OdeOptions& /*options*/, std::size_t /*size*/) {}
  static Evaluation step(OdeRun& /*run*/, double /*t*/, double /*h*/, std::span<const double> /*x*/,
                         std::span<const double> /*xdot*/, std::span<double> /*x_new*/) {
    return Evaluation::ok;
  }
};

}  // namespace

OdeResult solve_without_components(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                                   const OdeOptions& options, OdeSink& sink) {
  validate(system, tspan, x0, options);
  OdeOptions stepping = options;
  if (std::isnan(options.fixed_step)) {
    stepping.fixed_step = largest_step(tspan, options, 0.1);
  }
  return solve_with_fixed_step<Rest>(system, tspan, x0, stepping, sink);
}

}  // namespace mbdbench
