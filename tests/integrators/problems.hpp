#pragma once
/// \file
/// Initial value problems with known answers and a sink that keeps everything, shared by the tests of this room.
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "integrators/ode.hpp"

namespace mbdbench::test {

/// One call of the sink.
struct Sample {
  double t;
  std::vector<double> x;
};

/// Keeps all samples and accepted steps; asks to stop after a given number of either.
class RecordingSink : public OdeSink {
 public:
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  explicit RecordingSink(std::size_t stop_after_samples = kNever, std::size_t stop_after_steps = kNever)
      : stop_after_samples_(stop_after_samples), stop_after_steps_(stop_after_steps) {}

  bool sample(double t, std::span<const double> x) override {
    samples.push_back({t, {x.begin(), x.end()}});
    return samples.size() < stop_after_samples_;
  }

  bool step(double t, std::span<const double> x, const OdeStatistics& so_far) override {
    steps.push_back({t, {x.begin(), x.end()}});
    statistics.push_back(so_far);
    return steps.size() < stop_after_steps_;
  }

  std::vector<Sample> samples;
  std::vector<Sample> steps;
  std::vector<OdeStatistics> statistics;

 private:
  std::size_t stop_after_samples_;
  std::size_t stop_after_steps_;
};

/// Forgets everything: for runs in which only the result counts.
class NullSink : public OdeSink {
 public:
  bool sample(double /*t*/, std::span<const double> /*x*/) override { return true; }
};

/// A system from a right-hand side that cannot fail.
template <class Function>
OdeSystem system_of(std::size_t size, Function f) {
  OdeSystem system;
  system.size = size;
  system.rhs = [f](double t, std::span<const double> x, std::span<double> xdot) {
    f(t, x, xdot);
    return std::string();
  };
  return system;
}

/// x0' = -2 t x0^2, x1' = x1 cos t from (1, 1) at t = 0: nonlinear, non-autonomous, solved by nonlinear_solution.
inline OdeSystem nonlinear_problem() {
  return system_of(2, [](double t, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = -2.0 * t * x[0] * x[0];
    xdot[1] = x[1] * std::cos(t);
  });
}

inline std::vector<double> nonlinear_solution(double t) {
  return {1.0 / (1.0 + t * t), std::exp(std::sin(t))};
}

/// Separable, nonlinear, non-autonomous, with the same solution: x0' = y0'(t) + sin(x1 - y1(t)), x1' = y1'(t) - sin(x0
/// - y0(t)), where y is nonlinear_solution.
inline OdeSystem separable_problem() {
  OdeSystem system = system_of(2, [](double t, std::span<const double> x, std::span<double> xdot) {
    const double y0 = 1.0 / (1.0 + t * t);
    const double y1 = std::exp(std::sin(t));
    xdot[0] = -2.0 * t * y0 * y0 + std::sin(x[1] - y1);
    xdot[1] = y1 * std::cos(t) - std::sin(x[0] - y0);
  });
  system.separable_positions = 1;
  return system;
}

/// The problem with nonlinear_solution that the method can treat.
inline OdeSystem nonlinear_problem_for(const OdeEntry& entry) {
  return entry.needs_separable ? separable_problem() : nonlinear_problem();
}

/// x'' = -x as a first-order system: (cos t, -sin t) from (1, 0).
inline OdeSystem harmonic_oscillator() {
  OdeSystem system = system_of(2, [](double, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = x[1];
    xdot[1] = -x[0];
  });
  system.separable_positions = 1;
  return system;
}

/// x' = x.
inline OdeSystem exponential_growth() {
  return system_of(1, [](double, std::span<const double> x, std::span<double> xdot) { xdot[0] = x[0]; });
}

/// x' = x; for methods that need it separable q' = p, p' = q, which is the same from q = p.
inline OdeSystem exponential_growth_for(const OdeEntry& entry) {
  if (!entry.needs_separable) {
    return exponential_growth();
  }
  OdeSystem system = system_of(2, [](double, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = x[1];
    xdot[1] = x[0];
  });
  system.separable_positions = 1;
  return system;
}

/// Van der Pol's equation with mu = 1 for 1, 1000 for the stiff one.
inline OdeSystem van_der_pol(double mu) {
  return system_of(2, [mu](double, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = x[1];
    xdot[1] = mu * (1.0 - x[0] * x[0]) * x[1] - x[0];
  });
}

/// An oscillation from (2, 0) that the method can treat: van der Pol's where it need not be separable.
inline OdeSystem oscillation_for(const OdeEntry& entry) {
  return entry.needs_separable ? harmonic_oscillator() : van_der_pol(1.0);
}

/// Lorenz's equations with sigma = 10, rho = 28, beta = 8/3.
inline OdeSystem lorenz() {
  return system_of(3, [](double, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = 10.0 * (x[1] - x[0]);
    xdot[1] = x[0] * (28.0 - x[2]) - x[1];
    xdot[2] = x[0] * x[1] - 8.0 / 3.0 * x[2];
  });
}

/// x' = -2 x + t.
inline OdeSystem linear_with_input() {
  return system_of(1, [](double t, std::span<const double> x, std::span<double> xdot) { xdot[0] = -2.0 * x[0] + t; });
}

/// Options with which every method, adaptive or not, works about as accurately as `tolerance` asks.
inline OdeOptions options_at(const OdeEntry& entry, double tolerance) {
  OdeOptions options;
  options.relative_tolerance = tolerance;
  options.absolute_tolerance = {tolerance};
  if (!entry.adaptive) {
    options.fixed_step = std::pow(tolerance, 1.0 / entry.order);
  }
  return options;
}

/// \returns max_i |a_i - b_i|.
inline double largest_difference(std::span<const double> a, std::span<const double> b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::fmax(largest, std::abs(a[i] - b[i]));
  }
  return largest;
}

}  // namespace mbdbench::test
