/// \file
/// J. R. Dormand, P. J. Prince, A family of embedded Runge-Kutta formulae, J. Comput. Appl. Math. 6 (1980) 19-26.
/// K. Ahnert, M. Mulansky, Odeint - Solving ordinary differential equations in C++, AIP Conf. Proc. 1389 (2011)
/// 1586-1589.
///
/// | papers | here |
/// |---|---|
/// | do_step, error estimate, controller | stepper_.try_step |
/// | y(t + theta h), order 4 (Hairer, Norsett, Wanner, Solving ODEs I, II.6) | stepper_.stepper().calc_state |
///
/// Cost an attempt: 6 evaluations of f. All memory is taken in the first attempt.
#include "integrators/odeint/odeint_dopri5.hpp"

#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <vector>

#include "integrators/odeint/odeint_adaptor.hpp"
#include "integrators/odeint/odeint_error_checker.hpp"

namespace mbdbench {
namespace {

namespace odeint = boost::numeric::odeint;

class Dopri5 {
 public:
  static constexpr int kOrder = 5;

  Dopri5(const OdeOptions& options, std::size_t size) : stepper_(OdeintErrorChecker(options, size)) {}

  bool attempt(const OdeintSystem& f, const std::vector<double>& x, const std::vector<double>& xdot, double t,
               std::vector<double>& x_new, std::vector<double>& xdot_new, double& dt) {
    return stepper_.try_step(f, x, xdot, t, x_new, xdot_new, dt) == odeint::success;
  }

  void interpolate(double t, std::vector<double>& out, double t_old, const std::vector<double>& x_old,
                   const std::vector<double>& xdot_old, double t_new, const std::vector<double>& x_new,
                   const std::vector<double>& xdot_new) const {
    stepper_.stepper().calc_state(t, out, x_old, xdot_old, t_old, x_new, xdot_new, t_new);
  }

 private:
  odeint::controlled_runge_kutta<odeint::runge_kutta_dopri5<std::vector<double>>, OdeintErrorChecker> stepper_;
};

}  // namespace

OdeResult odeint_dopri5(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                        const OdeOptions& options, OdeSink& sink) {
  return solve_with_odeint<Dopri5>(system, tspan, x0, options, sink);
}

}  // namespace mbdbench
