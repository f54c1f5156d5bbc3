#include "experiments/integrators/problems.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <utility>

namespace mbdbench::integrator_study {
namespace {

template <class Function>
OdeSystem system_of(std::size_t size, std::size_t separable_positions, Function f) {
  OdeSystem system;
  system.size = size;
  system.separable_positions = separable_positions;
  system.rhs = [f](double t, std::span<const double> x, std::span<double> xdot) {
    f(t, x, xdot);
    return std::string();
  };
  return system;
}

OdeSystem van_der_pol(double mu) {
  return system_of(2, 0, [mu](double, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = x[1];
    xdot[1] = mu * (1.0 - x[0] * x[0]) * x[1] - x[0];
  });
}

OdeSystem lorenz() {
  return system_of(3, 0, [](double, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = 10.0 * (x[1] - x[0]);
    xdot[1] = x[0] * (28.0 - x[2]) - x[1];
    xdot[2] = x[0] * x[1] - 8.0 / 3.0 * x[2];
  });
}

OdeSystem linear() {
  return system_of(1, 0,
                   [](double t, std::span<const double> x, std::span<double> xdot) { xdot[0] = -2.0 * x[0] + t; });
}

OdeSystem kepler() {
  return system_of(4, 2, [](double, std::span<const double> x, std::span<double> xdot) {
    const double distance = std::hypot(x[0], x[1]);
    const double cube = distance * distance * distance;
    xdot[0] = x[2];
    xdot[1] = x[3];
    xdot[2] = -x[0] / cube;
    xdot[3] = -x[1] / cube;
  });
}

/// x0' = y0' + sin(x1 - y1), x1' = y1' - sin(x0 - y0), where y is the solution.
OdeSystem smooth() {
  return system_of(2, 1, [](double t, std::span<const double> x, std::span<double> xdot) {
    const double y0 = 1.0 / (1.0 + t * t);
    const double y1 = std::exp(std::sin(t));
    xdot[0] = -2.0 * t * y0 * y0 + std::sin(x[1] - y1);
    xdot[1] = y1 * std::cos(t) - std::sin(x[0] - y0);
  });
}

}  // namespace

Problem problem_of(std::string_view name) {
  const std::string text(name);
  if (name == "vdp1") {
    return {text, van_der_pol(1.0), {2.0, 0.0}, 20.0};
  }
  if (name == "vdp1000") {
    return {text, van_der_pol(1000.0), {2.0, 0.0}, 3000.0};
  }
  if (name == "lorenz") {
    return {text, lorenz(), {1.0, 1.0, 1.0}, 20.0};
  }
  if (name == "linear") {
    return {text, linear(), {0.0}, 10.0};
  }
  if (name == "kepler") {
    return {text, kepler(), {0.4, 0.0, 0.0, 2.0}, 20.0 * M_PI};
  }
  if (name == "smooth") {
    return {text, smooth(), smooth_solution(0.0), 2.0};
  }
  throw std::invalid_argument(
      fmt::format("there is no problem '{}'; there are vdp1, vdp1000, lorenz, linear, kepler, smooth", name));
}

std::vector<double> smooth_solution(double t) {
  return {1.0 / (1.0 + t * t), std::exp(std::sin(t))};
}

double kepler_energy(std::span<const double> x) {
  return 0.5 * (x[2] * x[2] + x[3] * x[3]) - 1.0 / std::hypot(x[0], x[1]);
}

}  // namespace mbdbench::integrator_study
