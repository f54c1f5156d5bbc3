#include "experiments/gradients/steps/step_method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <stdexcept>
#include <string>

#include "integrators/step_size.hpp"
#include "integrators/symplectic/gauss_step.hpp"
#include "integrators/vector_operations.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench::gradients {
namespace {

// E. Fehlberg, NASA TR R-315, 1969, table III, as integrators/runge_kutta/fehlberg45.cpp has it. The sixth stage is for
// the estimate of the error alone.
StepMethod fehlberg45(std::string_view key) {
  return {.key = key,
          .nodes = {0.0, 1.0 / 4.0, 3.0 / 8.0, 12.0 / 13.0, 1.0},
          .stages = {{},
                     {1.0 / 4.0},
                     {3.0 / 32.0, 9.0 / 32.0},
                     {1932.0 / 2197.0, -7200.0 / 2197.0, 7296.0 / 2197.0},
                     {439.0 / 216.0, -8.0, 3680.0 / 513.0, -845.0 / 4104.0}},
          .weights = {25.0 / 216.0, 0.0, 1408.0 / 2565.0, 2197.0 / 4104.0, -1.0 / 5.0},
          .explicit_stages = 5};
}

// J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19-26. The seventh stage is the first of the next step.
StepMethod dormand_prince(std::string_view key) {
  return {.key = key,
          .nodes = {0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0},
          .stages = {{},
                     {1.0 / 5.0},
                     {3.0 / 40.0, 9.0 / 40.0},
                     {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
                     {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
                     {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0}},
          .weights = {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0},
          .explicit_stages = 6,
          .adaptive = true};
}

StepMethod ode45() {
  StepMethod method = dormand_prince("ode45");
  method.largest_step = kDefaultLargestStepFraction;
  method.ends_at_end = true;
  return method;
}

StepMethod odeint_dopri5() {
  StepMethod method = dormand_prince("odeint-dopri5");
  method.order = SumOrder::step_first;
  return method;
}

StepMethod rkf45() {
  StepMethod method = fehlberg45("rkf45");
  method.adaptive = true;
  method.largest_step = kDefaultLargestStepFraction;
  return method;
}

// P. Bogacki, L. F. Shampine, Appl. Math. Lett. 2 (1989) 321-325, likewise.
StepMethod ode23() {
  return {.key = "ode23",
          .nodes = {0.0, 1.0 / 2.0, 3.0 / 4.0},
          .stages = {{}, {1.0 / 2.0}, {0.0, 3.0 / 4.0}},
          .weights = {2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0},
          .explicit_stages = 3,
          .adaptive = true,
          .largest_step = kDefaultLargestStepFraction,
          .ends_at_end = true};
}

/// By the coefficients of the library itself.
StepMethod odeint_fehlberg78() {
  namespace odeint = boost::numeric::odeint;
  const auto row = [](const auto& coefficients) {
    return std::vector<double>(coefficients.begin(), coefficients.end());
  };
  return {.key = "odeint-fehlberg78",
          .nodes = row(odeint::rk78_coefficients_c<>()),
          .stages = {{},
                     row(odeint::rk78_coefficients_a1<>()),
                     row(odeint::rk78_coefficients_a2<>()),
                     row(odeint::rk78_coefficients_a3<>()),
                     row(odeint::rk78_coefficients_a4<>()),
                     row(odeint::rk78_coefficients_a5<>()),
                     row(odeint::rk78_coefficients_a6<>()),
                     row(odeint::rk78_coefficients_a7<>()),
                     row(odeint::rk78_coefficients_a8<>()),
                     row(odeint::rk78_coefficients_a9<>()),
                     row(odeint::rk78_coefficients_a10<>()),
                     row(odeint::rk78_coefficients_a11<>()),
                     row(odeint::rk78_coefficients_a12<>())},
          .weights = row(odeint::rk78_coefficients_b<>()),
          .explicit_stages = 13,
          .adaptive = true,
          .order = SumOrder::step_first};
}

template <std::size_t Stages>
StepMethod gauss(std::string_view key) {
  const GaussTableau<Stages>& tableau = kGauss<Stages>;
  StepMethod method{.key = key,
                    .nodes = {tableau.c.begin(), tableau.c.end()},
                    .stages = {},
                    .weights = {tableau.b.begin(), tableau.b.end()}};
  for (const std::array<double, Stages>& row : tableau.a) {
    method.stages.emplace_back(row.begin(), row.end());
  }
  return method;
}

const std::vector<StepMethod>& all_methods() {
  static const std::vector<StepMethod> methods = {
      {.key = "rk2", .nodes = {0.0, 0.5}, .stages = {{}, {0.5}}, .weights = {0.0, 1.0}, .explicit_stages = 2},
      {.key = "rk4",
       .nodes = {0.0, 0.5, 0.5, 1.0},
       .stages = {{}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}},
       .weights = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0},
       .explicit_stages = 4},
      fehlberg45("rkf45-fixed"),
      gauss<1>("implicit-midpoint"),
      gauss<2>("gauss4"),
      gauss<3>("gauss6"),
      // G. Dahlquist, BIT 3 (1963) 27-43.
      {.key = "trapezoidal",
       .nodes = {0.0, 1.0},
       .stages = {{}, {0.5, 0.5}},
       .weights = {0.5, 0.5},
       .explicit_stages = 1},
      ode23(),
      ode45(),
      rkf45(),
      odeint_dopri5(),
      odeint_fehlberg78()};
  return methods;
}

/// By the integrators' own loop: another one may be compiled to other roundings.
template <std::size_t Count>
void advance_by_terms(std::span<const double> x, double h, std::span<const double> weights, std::span<const double> k,
                      std::span<double> to) {
  std::array<double, Count> factors{};
  Derivatives<Count> derivatives{};
  for (std::size_t j = 0; j < Count; ++j) {
    factors[j] = weights[j];
    derivatives[j] = k.data() + j * x.size();
  }
  advance(x.size(), to.data(), x.data(), h, factors, derivatives);
}

}  // namespace

const StepMethod& step_method(std::string_view key) {
  std::vector<std::string> names;
  for (const StepMethod& method : all_methods()) {
    if (method.key == key) {
      return method;
    }
    names.emplace_back(method.key);
  }
  if (key == "stormer-verlet") {
    throw std::invalid_argument(
        "method 'stormer-verlet' needs a separable system, and a mechanism is none: its mass matrix depends on q; "
        "symplectic methods for mechanisms are implicit-midpoint, gauss4 and gauss6");
  }
  throw std::invalid_argument(fmt::format("method '{}' is no Runge-Kutta method that gradients of runs know; {}", key,
                                          suggest_name(key, names, "methods")));
}

std::vector<std::string_view> adaptive_methods() {
  std::vector<std::string_view> keys;
  for (const StepMethod& method : all_methods()) {
    if (method.adaptive) {
      keys.push_back(method.key);
    }
  }
  return keys;
}

void advance_by(std::span<const double> x, double h, std::span<const double> weights, std::span<const double> k,
                std::span<double> to, SumOrder order) {
  if (order == SumOrder::step_first || weights.empty()) {
    std::copy(x.begin(), x.end(), to.begin());
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const double factor = h * weights[j];
      const std::span<const double> rate = k.subspan(j * x.size(), x.size());
      std::transform(rate.begin(), rate.end(), to.begin(), to.begin(),
                     [factor](double one, double sum) { return sum + factor * one; });
    }
    return;
  }
  switch (weights.size()) {
    case 1:
      return advance_by_terms<1>(x, h, weights, k, to);
    case 2:
      return advance_by_terms<2>(x, h, weights, k, to);
    case 3:
      return advance_by_terms<3>(x, h, weights, k, to);
    case 4:
      return advance_by_terms<4>(x, h, weights, k, to);
    case 5:
      return advance_by_terms<5>(x, h, weights, k, to);
    case 6:
      return advance_by_terms<6>(x, h, weights, k, to);
    default:
      throw std::logic_error("a method with more stages than are compiled");
  }
}

}  // namespace mbdbench::gradients
