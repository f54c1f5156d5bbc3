/// \file
/// E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2nd ed., Springer 2006, section I.1.4 and equation
/// (VI.3.4): the symplectic partitioned method. With v and f that depend on t, their times are those of the
/// trapezoidal rule in f and of the midpoint rule in v, of order 2 and symmetric.
///
/// | book | here |
/// |---|---|
/// | q_n, p_n | x before and from position_count |
/// | p_(n+1/2) | p in middle_ |
/// | H_p(p), -H_q(q) | the two parts of rate_ |
///
/// Cost a step: 3 evaluations of f, the last of them in the loop. All memory is taken before the first step.
#include "integrators/symplectic/stormer_verlet.hpp"

#include <stdexcept>
#include <vector>

#include "integrators/fixed_step_loop.hpp"

namespace mbdbench {
namespace {

class StormerVerlet {
 public:
  StormerVerlet(const OdeOptions& /*options*/, std::size_t size) : middle_(size), rate_(size) {}

  Evaluation step(OdeRun& run, double t, double h, std::span<const double> x, std::span<const double> xdot,
                  std::span<double> x_new) {
    const std::size_t position_count = run.separable_positions();
    for (std::size_t i = 0; i < x.size(); ++i) {
      middle_[i] = i < position_count ? x[i] : x[i] + 0.5 * h * xdot[i];
    }
    Evaluation outcome = run.evaluate(t + 0.5 * h, middle_, rate_);
    if (outcome != Evaluation::ok) {
      return outcome;
    }
    for (std::size_t i = 0; i < position_count; ++i) {
      middle_[i] += h * rate_[i];
    }
    outcome = run.evaluate(t + h, middle_, rate_);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x_new[i] = i < position_count ? middle_[i] : middle_[i] + 0.5 * h * rate_[i];
    }
    return outcome;
  }

 private:
  /// (q_n, p_(n+1/2)), then (q_(n+1), p_(n+1/2)).
  std::vector<double> middle_;
  std::vector<double> rate_;
};

}  // namespace

OdeResult stormer_verlet(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                         const OdeOptions& options, OdeSink& sink) {
  if (system.separable_positions == 0) {
    throw std::invalid_argument(
        "stormer-verlet needs a separable system, q' = v(t, p) and p' = f(t, q), that says so: "
        "OdeSystem::separable_positions is 0, it must be the number of leading components q; for other systems there "
        "are implicit-midpoint, gauss4 and gauss6");
  }
  return solve_with_fixed_step<StormerVerlet>(system, tspan, x0, options, sink);
}

}  // namespace mbdbench
