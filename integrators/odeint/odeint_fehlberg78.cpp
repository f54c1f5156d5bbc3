/// \file
/// E. Fehlberg, Classical fifth-, sixth-, seventh-, and eighth-order Runge-Kutta formulas with stepsize control, NASA
/// TR R-287, 1968: the pair. K. Ahnert, M. Mulansky, Odeint - Solving ordinary differential equations in C++, AIP Conf.
/// Proc. 1389 (2011) 1586-1589.
///
/// | papers | here |
/// |---|---|
/// | alpha_k = 1/6, 1/3, 1/2, 2/3, 5/6 (stages 7, 9, 5, 8, 6, counted from 0) | kStageOfSixth |
/// | f_k of those stages | stages_ |
///
/// Continuous extension, from which samples of order 8 start (bootstrapped_extension.hpp): those five stages have stage
/// order 4 (sum_l beta_kl alpha_l^(q-1) = alpha_k^q / q for q <= 4, checked in the test of its order) and lie with both
/// ends at the sixths of the step, so that the integral of the polynomial of degree 6 through their derivatives is
/// wrong by h^6. A cubic that moves it onto the state at the step's end is of the same size and makes it continuously
/// differentiable.
///
/// Cost an attempt: 12 evaluations of f, one more when it is accepted. A sample inside a step: 7 multiply-adds a
/// component. All memory is taken in the first attempt.
#include "integrators/odeint/odeint_fehlberg78.hpp"

#include <algorithm>
#include <array>
#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <vector>

#include "integrators/odeint/odeint_adaptor.hpp"
#include "integrators/odeint/odeint_error_checker.hpp"

namespace mbdbench {
namespace {

namespace odeint = boost::numeric::odeint;

constexpr std::size_t kNodeCount = 7;
constexpr std::array<std::size_t, kNodeCount - 2> kStageOfSixth = {7, 9, 5, 8, 6};

/// Coefficients of 1, s, ..., s^6 of the polynomial that is 1 at s = node and 0 at the other integers from 0 to 6.
constexpr std::array<double, kNodeCount> lagrange_polynomial(std::size_t node) {
  std::array<double, kNodeCount> coefficients = {1.0};
  for (std::size_t other = 0; other < kNodeCount; ++other) {
    if (other == node) {
      continue;
    }
    const double root = static_cast<double>(other);
    const double distance = static_cast<double>(node) - root;
    for (std::size_t power = kNodeCount; power-- > 0;) {
      const double shifted = power == 0 ? 0.0 : coefficients[power - 1];
      coefficients[power] = (shifted - root * coefficients[power]) / distance;
    }
  }
  return coefficients;
}

constexpr std::array<std::array<double, kNodeCount>, kNodeCount> kLagrange = {
    lagrange_polynomial(0), lagrange_polynomial(1), lagrange_polynomial(2), lagrange_polynomial(3),
    lagrange_polynomial(4), lagrange_polynomial(5), lagrange_polynomial(6)};

/// Weights of the derivatives at the sixths in the integral from 0 to the fraction theta of a step of length 1.
std::array<double, kNodeCount> integral_weights(double theta) {
  std::array<double, kNodeCount> weights = {};
  const double s = 6.0 * theta;
  for (std::size_t node = 0; node < kNodeCount; ++node) {
    double sum = 0.0;
    for (std::size_t power = kNodeCount; power-- > 0;) {
      sum = (sum + kLagrange[node][power] / static_cast<double>(power + 1)) * s;
    }
    weights[node] = sum / 6.0;
  }
  return weights;
}

class Fehlberg78 {
 public:
  static constexpr int kOrder = 8;
  static constexpr int kSampleOrder = 8;
  static constexpr int kInterpolationPower = 6;

  Fehlberg78(const OdeOptions& options, std::size_t size) : stepper_(OdeintErrorChecker(options, size)) {
    stages_.fill(std::vector<double>(size));
  }

  bool attempt(const OdeintSystem& f, const std::vector<double>& x, const std::vector<double>& xdot, double t,
               std::vector<double>& x_new, std::vector<double>& xdot_new, double& dt) {
    const double t_new = t + dt;
    std::size_t stage = 0;
    const auto recorded = [&](const std::vector<double>& x_stage, std::vector<double>& rate, double t_stage) {
      f(x_stage, rate, t_stage);
      const auto wanted = std::find(kStageOfSixth.begin(), kStageOfSixth.end(), ++stage);
      if (wanted != kStageOfSixth.end()) {
        std::copy(rate.begin(), rate.end(), stages_[static_cast<std::size_t>(wanted - kStageOfSixth.begin())].begin());
      }
    };
    if (stepper_.try_step(recorded, x, xdot, t, x_new, dt) != odeint::success) {
      return false;
    }
    f(x_new, xdot_new, t_new);
    return true;
  }

  void interpolate(double t, std::vector<double>& out, double t_old, const std::vector<double>& x_old,
                   const std::vector<double>& xdot_old, double t_new, const std::vector<double>& x_new,
                   const std::vector<double>& xdot_new) const {
    static const std::array<double, kNodeCount> kWholeStep = integral_weights(1.0);
    const double h = t_new - t_old;
    const double theta = (t - t_old) / h;
    const std::array<double, kNodeCount> weights = integral_weights(theta);
    const double blend = theta * theta * (3.0 - 2.0 * theta);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto integral = [&](const std::array<double, kNodeCount>& w) {
        double sum = w.front() * xdot_old[i] + w.back() * xdot_new[i];
        for (std::size_t node = 0; node < stages_.size(); ++node) {
          sum += w[node + 1] * stages_[node][i];
        }
        return x_old[i] + h * sum;
      };
      out[i] = integral(weights) + blend * (x_new[i] - integral(kWholeStep));
    }
  }

 private:
  odeint::controlled_runge_kutta<odeint::runge_kutta_fehlberg78<std::vector<double>>, OdeintErrorChecker> stepper_;
  std::array<std::vector<double>, kNodeCount - 2> stages_;
};

}  // namespace

OdeResult odeint_fehlberg78(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                            const OdeOptions& options, OdeSink& sink) {
  return solve_with_odeint<Fehlberg78>(system, tspan, x0, options, sink);
}

}  // namespace mbdbench
