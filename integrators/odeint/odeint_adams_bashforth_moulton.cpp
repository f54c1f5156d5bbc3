/// \file
/// E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed., Springer 1993, section
/// III.1: predictor, corrector and the mode PECE. K. Ahnert, M. Mulansky, Odeint - Solving ordinary differential
/// equations in C++, AIP Conf. Proc. 1389 (2011) 1586-1589.
///
/// | book | here |
/// |---|---|
/// | k = 4 explicit, k = 3 implicit Adams formula, both of order 4 | stepper_ |
/// | y_n, y_(n+1), f_n | x_, x_new_, xdot |
///
/// Cost a step: 2 evaluations of f. All memory is taken in the first steps.
#include "integrators/odeint/odeint_adams_bashforth_moulton.hpp"

#include <algorithm>
#include <boost/numeric/odeint/stepper/adams_bashforth_moulton.hpp>
#include <vector>

#include "integrators/fixed_step_loop.hpp"
#include "integrators/odeint/odeint_adaptor.hpp"

namespace mbdbench {
namespace {

class AdamsBashforthMoulton {
 public:
  AdamsBashforthMoulton(const OdeOptions& /*options*/, std::size_t size) : x_(size), x_new_(size) {}

  Evaluation step(OdeRun& run, double t, double h, std::span<const double> x, std::span<const double> xdot,
                  std::span<double> x_new) {
    if (run.restart_needed() || h != previous_step_) {
      stepper_.reset();
      previous_step_ = h;
    }
    std::copy(x.begin(), x.end(), x_.begin());
    const OdeintSystem f(run);
    bool first = true;
    const auto known_first = [&](const std::vector<double>& x_stage, std::vector<double>& rate, double t_stage) {
      if (first) {
        std::copy(xdot.begin(), xdot.end(), rate.begin());
      } else {
        f(x_stage, rate, t_stage);
      }
      first = false;
    };
    try {
      stepper_.do_step(known_first, x_, t, x_new_, h);
    } catch (const OdeintInterrupt& interrupt) {
      return interrupt.outcome;
    }
    std::copy(x_new_.begin(), x_new_.end(), x_new.begin());
    return Evaluation::ok;
  }

 private:
  boost::numeric::odeint::adams_bashforth_moulton<4, std::vector<double>> stepper_;
  std::vector<double> x_;
  std::vector<double> x_new_;
  double previous_step_ = 0.0;
};

}  // namespace

OdeResult odeint_adams_bashforth_moulton(const OdeSystem& system, std::span<const double> tspan,
                                         std::span<const double> x0, const OdeOptions& options, OdeSink& sink) {
  return solve_with_fixed_step<AdamsBashforthMoulton>(system, tspan, x0, options, sink);
}

}  // namespace mbdbench
