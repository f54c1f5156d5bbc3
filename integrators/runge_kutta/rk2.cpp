/// \file
/// C. Runge, Ueber die numerische Aufloesung von Differentialgleichungen, Math. Ann. 46 (1895) 167-178, as written in
/// E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed., Springer 1993, equation
/// (II.1.4).
///
/// | book | here |
/// |---|---|
/// | y_0, y_1 | x, x_new |
/// | k_1, k_2 | xdot, midpoint_rate_ |
///
/// Cost a step: 2 evaluations of f and 2 multiply-adds a component. All memory is taken before the first step.
#include "integrators/runge_kutta/rk2.hpp"

#include <vector>

#include "integrators/fixed_step_loop.hpp"

namespace mbdbench {
namespace {

class ExplicitMidpoint {
 public:
  ExplicitMidpoint(const OdeOptions& /*options*/, std::size_t size) : midpoint_rate_(size) {}

  Evaluation step(OdeRun& run, double t, double h, std::span<const double> x, std::span<const double> xdot,
                  std::span<double> x_new) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x_new[i] = x[i] + 0.5 * h * xdot[i];
    }
    const Evaluation outcome = run.evaluate(t + 0.5 * h, x_new, midpoint_rate_);
    if (outcome == Evaluation::ok) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        x_new[i] = x[i] + h * midpoint_rate_[i];
      }
    }
    return outcome;
  }

 private:
  std::vector<double> midpoint_rate_;
};

}  // namespace

OdeResult rk2(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
              const OdeOptions& options, OdeSink& sink) {
  return solve_with_fixed_step<ExplicitMidpoint>(system, tspan, x0, options, sink);
}

}  // namespace mbdbench
