#include "integrators/registry.hpp"

#ifdef MBDBENCH_SUNDIALS
#include <sundials/sundials_version.h>
#endif

#include <algorithm>
#include <array>

#include "integrators/any_size.hpp"
#include "integrators/matlab/ode113.hpp"
#include "integrators/matlab/ode15s.hpp"
#include "integrators/matlab/ode23.hpp"
#include "integrators/matlab/ode45.hpp"
#include "integrators/odeint/odeint_adams_bashforth_moulton.hpp"
#include "integrators/odeint/odeint_bulirsch_stoer.hpp"
#include "integrators/odeint/odeint_dopri5.hpp"
#include "integrators/odeint/odeint_fehlberg78.hpp"
#include "integrators/odeint/odeint_rosenbrock4.hpp"
#include "integrators/runge_kutta/rk2.hpp"
#include "integrators/runge_kutta/rkf45.hpp"
#include "integrators/sundials/cvode.hpp"
#include "integrators/symplectic/gauss.hpp"
#include "integrators/symplectic/stormer_verlet.hpp"
#include "integrators/symplectic/trapezoidal.hpp"

namespace mbdbench {
namespace {

// Of methods that solve equations: the Jacobian, the matrix that is factorised and its factors.
constexpr double kNewtonMatrices = 3.0;
// Of Newton's method for stages the last two for each pair of complex eigenvalues, in complex numbers, and for a real
// one.
constexpr double kMidpointMatrices = 3.0;
constexpr double kGauss4Matrices = 5.0;
constexpr double kGauss6Matrices = 7.0;

constexpr std::array kRegistry = {
    OdeEntry{"ode45", "Dormand-Prince 5(4) with the step control of MATLAB's ode45", "Shampine1997", 5, true,
             on_any_size<ode45>, false, false, true},
    OdeEntry{"ode23", "Bogacki-Shampine 3(2) with the step control of MATLAB's ode23", "Shampine1997", 3, true,
             on_any_size<ode23>, false, false, true},
    OdeEntry{"ode113", "Adams PECE of orders 1 to 13 with the step and order control of MATLAB's ode113",
             "Shampine1997", 0, true, on_any_size<ode113>, false, false, true},
    OdeEntry{"ode15s", "Numerical differentiation formulas of orders 1 to 5 as in MATLAB's ode15s, stiff",
             "Shampine1997", 0, true, on_any_size<ode15s>, false, false, false, kNewtonMatrices, false, true},
    OdeEntry{"ode15s-bdf", "MATLAB's ode15s with backward differentiation formulas, stiff", "Shampine1997", 0, true,
             on_any_size<ode15s_bdf>, false, false, false, kNewtonMatrices, false, true},
    OdeEntry{"odeint-dopri5", "Dormand-Prince 5(4) of Boost.Odeint", "Dormand1980", 5, true,
             on_any_size<odeint_dopri5>},
    OdeEntry{"rk2", "explicit midpoint rule", "Runge1895", 2, false, on_any_size<rk2>, false, false, true, 0.0, true},
    OdeEntry{"rkf45-fixed", "Runge-Kutta-Fehlberg 4(5), order 4 propagated", "Fehlberg1969", 4, false,
             on_any_size<rkf45_fixed>, false, true, true, 0.0, true},
    OdeEntry{"rkf45", "Runge-Kutta-Fehlberg 4(5), order 4 propagated", "Fehlberg1969", 4, true, on_any_size<rkf45>,
             false, true, true},
    OdeEntry{"trapezoidal", "implicit trapezoidal rule, Newton", "Dahlquist1963", 2, false, on_any_size<trapezoidal>,
             false, false, false, kNewtonMatrices, false, true},
    OdeEntry{"implicit-midpoint", "implicit midpoint rule, symplectic", "Hairer2006", 2, false,
             on_any_size<implicit_midpoint>, false, false, false, 0.0, false, true, kMidpointMatrices},
    OdeEntry{"gauss4", "Gauss collocation with 2 stages, symplectic", "Hairer2006", 4, false, on_any_size<gauss4>,
             false, false, false, 0.0, false, true, kGauss4Matrices},
    OdeEntry{"gauss6", "Gauss collocation with 3 stages, symplectic", "Hairer2006", 6, false, on_any_size<gauss6>,
             false, false, false, 0.0, false, true, kGauss6Matrices},
    OdeEntry{"stormer-verlet", "Stoermer-Verlet, explicit and symplectic, for separable test problems only",
             "Hairer2006", 2, false, on_any_size<stormer_verlet>, true},
    OdeEntry{"odeint-fehlberg78", "Runge-Kutta-Fehlberg 7(8) of Boost.Odeint", "Fehlberg1968", 8, true,
             on_any_size<odeint_fehlberg78>},
    OdeEntry{"odeint-bulirsch-stoer", "Bulirsch-Stoer extrapolation of Boost.Odeint", "Hairer1993", 0, true,
             on_any_size<odeint_bulirsch_stoer>},
    OdeEntry{"odeint-rosenbrock4", "Rosenbrock method of Boost.Odeint", "Hairer1996", 4, true,
             on_any_size<odeint_rosenbrock4>, false, false, false, kNewtonMatrices, false, true},
    OdeEntry{"odeint-adams-bashforth-moulton", "Adams-Bashforth-Moulton of Boost.Odeint, PECE", "Hairer1993", 4, false,
             on_any_size<odeint_adams_bashforth_moulton>},
#ifdef MBDBENCH_SUNDIALS
    OdeEntry{"cvode-adams", "Adams methods of SUNDIALS CVODE, fixed-point iteration", "Hindmarsh2005", 0, true,
             on_any_size<cvode_adams>},
    OdeEntry{"cvode-bdf", "BDF of SUNDIALS CVODE, Newton", "Hindmarsh2005", 0, true, on_any_size<cvode_bdf>, false,
             false, false, kNewtonMatrices, false, true},
#endif
};

}  // namespace

std::span<const OdeEntry> integrator_registry() {
  return kRegistry;
}

const OdeEntry* find_integrator(std::span<const OdeEntry> registry, std::string_view key) {
  const auto entry = std::find_if(registry.begin(), registry.end(), [key](const OdeEntry& e) { return e.key == key; });
  return entry == registry.end() ? nullptr : &*entry;
}

std::string sundials_version() {
#ifdef MBDBENCH_SUNDIALS
  std::array<char, 32> version{};
  return SUNDIALSGetVersion(version.data(), static_cast<int>(version.size())) == 0 ? version.data() : "unknown";
#else
  return {};
#endif
}

}  // namespace mbdbench
