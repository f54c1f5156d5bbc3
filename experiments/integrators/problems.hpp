#pragma once
/// \file
/// Initial value problems that are not mechanisms.
#include <string>
#include <string_view>
#include <vector>

#include "integrators/ode.hpp"

namespace mbdbench::integrator_study {

/// x' = f(t, x) from x0 at t = 0 to tf.
struct Problem {
  std::string name;
  OdeSystem system;
  std::vector<double> x0;
  double tf = 0.0;
};

/// \param name vdp1, vdp1000, lorenz, linear as in results/published/matlab_solver_statistics.csv; kepler: x = (q, p),
///        eccentricity 0.6 from the pericentre, ten revolutions of 2 pi; smooth: separable, nonlinear, non-autonomous,
///        solved by smooth_solution, to 2
/// \throws std::invalid_argument for other names
Problem problem_of(std::string_view name);

/// \returns the exact solution of `smooth`: (1 / (1 + t^2), exp(sin t)).
std::vector<double> smooth_solution(double t);

/// \returns the energy of Kepler's problem; it is kept.
double kepler_energy(std::span<const double> x);

}  // namespace mbdbench::integrator_study
