/// \file
/// E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., Springer 1996, section IV.7: Rosenbrock
/// methods; section IV.8, equations (8.21), (8.25): step size control. K. Ahnert, M. Mulansky, Odeint - Solving
/// ordinary differential equations in C++, AIP Conf. Proc. 1389 (2011) 1586-1589.
///
/// | book | here |
/// |---|---|
/// | J, df/dx (t_0) | jacobian_, time_derivative_ |
/// | err_(n+1), err_n, h_n | error, previous_error_, previous_step_ |
/// | fac, facmin, facmax | kStepSafety, kSmallestStepFactor, kLargestStepFactor |
///
/// Cost an attempt of n components: 5 evaluations of f, a factorisation (n^3 / 3) and 6 solves (n^2); where the state
/// is new, n + 1 evaluations for the derivatives (1 where df/dx is exact), and one at the end of an accepted step. The
/// stepper's matrix library takes memory in every attempt.
#include "integrators/odeint/odeint_rosenbrock4.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "integrators/odeint/odeint_adaptor.hpp"
#include "integrators/odeint/odeint_error_checker.hpp"
#include "integrators/odeint/odeint_rosenbrock4_stepper.hpp"
#include "integrators/vector_span.hpp"

namespace mbdbench {
namespace {

/// Of a difference, relative: the root of the rounding unit. Increments that learn from one Jacobian to the next, as in
/// ode15s, may be far larger for a while; the order of this method rests on the derivatives.
const double kIncrement = std::sqrt(std::numeric_limits<double>::epsilon());
constexpr std::size_t kSolves = 6;
constexpr double kStepSafety = 0.9;
constexpr double kSmallestStepFactor = 0.2;
constexpr double kLargestStepFactor = 6.0;
constexpr double kErrorExponent = 1.0 / 4.0;
/// Below these an error is taken for this much: the controller divides by it.
constexpr double kSmallestError = 1e-10;
constexpr double kSmallestPreviousError = 1e-2;

class Rosenbrock4 {
 public:
  static constexpr int kOrder = 4;
  static constexpr int kSampleOrder = 4;
  static constexpr int kInterpolationPower = 4;

  Rosenbrock4(const OdeOptions& options, std::size_t size)
      : stepper_(size),
        checker_(options, size),
        sizes_(options.absolute_tolerance),
        jacobian_(static_cast<Eigen::Index>(size), static_cast<Eigen::Index>(size)),
        time_derivative_(size),
        x_known_(size),
        x_stage_(size),
        rate_(size),
        error_(size) {
    sizes_.resize(size, sizes_.front());
    for (double& typical : sizes_) {
      typical /= options.relative_tolerance;
    }
  }

  bool attempt(const OdeintSystem& f, const std::vector<double>& x, const std::vector<double>& xdot, double t,
               std::vector<double>& x_new, std::vector<double>& xdot_new, double& dt) {
    const bool again = std::exchange(tried_before_, true);
    if (t != t_known_ || x != x_known_) {
      form_derivatives(f, x, xdot, t, dt);
    }
    const auto rate = [&](double t_stage, const double* x_stage, double* xdot_stage) {
      std::copy_n(x_stage, x.size(), x_stage_.begin());
      f(x_stage_, rate_, t_stage);
      std::copy(rate_.begin(), rate_.end(), xdot_stage);
    };
    OdeStatistics& statistics = f.run().statistics();
    ++statistics.ndecomps;
    statistics.nsolves += kSolves;
    stepper_.step(rate, {t, x.data(), xdot.data(), jacobian_.data(), time_derivative_.data()}, dt, x_new.data(),
                  error_.data());
    const double error = checker_.error(stepper_, x, xdot, error_, dt);
    if (error > 1.0) {
      dt *= std::clamp(kStepSafety * std::pow(error, -kErrorExponent), kSmallestStepFactor, 1.0);
      return false;
    }
    f(x_new, xdot_new, t + dt);
    stepper_.keep_for_interpolation();
    dt = next_step(dt, error, again);
    tried_before_ = false;
    return true;
  }

  void interpolate(double t, std::vector<double>& out, double t_old, const std::vector<double>& /*x_old*/,
                   const std::vector<double>& /*xdot_old*/, double t_new, const std::vector<double>& /*x_new*/,
                   const std::vector<double>& /*xdot_new*/) const {
    stepper_.interpolate(t, t_old, t_new, out.data());
  }

 private:
  /// df/dx and df/dt at a state where they are not known yet: a rejected attempt leaves them as they are.
  void form_derivatives(const OdeintSystem& f, const std::vector<double>& x, const std::vector<double>& xdot, double t,
                        double dt) {
    t_known_ = std::numeric_limits<double>::quiet_NaN();
    f.run().count_jacobian();
    if (f.run().has_jacobian()) {
      f.exact_jacobian(x, jacobian_, t);
    } else {
      take_differences(f, x, xdot, t);
    }
    const double shifted = t + std::copysign(kIncrement * std::max(std::abs(t), std::abs(dt)), dt);
    f(x, rate_, shifted);
    for (std::size_t i = 0; i < x.size(); ++i) {
      time_derivative_[i] = (rate_[i] - xdot[i]) / (shifted - t);
    }
    x_known_ = x;
    t_known_ = t;
  }

  void take_differences(const OdeintSystem& f, const std::vector<double>& x, const std::vector<double>& xdot,
                        double t) {
    x_stage_ = x;
    for (std::size_t j = 0; j < x.size(); ++j) {
      x_stage_[j] += kIncrement * std::max(std::abs(x[j]), sizes_[j]);
      f(x_stage_, rate_, t);
      jacobian_.col(static_cast<Eigen::Index>(j)) = (as_vector(rate_) - as_vector(xdot)) / (x_stage_[j] - x[j]);
      x_stage_[j] = x[j];
    }
  }

  /// Gustafsson's predictive controller: the smaller one of two proposals, without growth after a rejection.
  double next_step(double dt, double error, bool after_rejection) {
    const double bounded = std::max(error, kSmallestError);
    double factor = kStepSafety * std::pow(bounded, -kErrorExponent);
    if (previous_error_ > 0.0) {
      factor = std::min(factor, factor * (dt / previous_step_) * std::pow(previous_error_ / bounded, kErrorExponent));
    }
    previous_step_ = dt;
    previous_error_ = std::max(error, kSmallestPreviousError);
    return dt * std::clamp(factor, kSmallestStepFactor, after_rejection ? 1.0 : kLargestStepFactor);
  }

  Rosenbrock4Stepper stepper_;
  OdeintErrorChecker checker_;
  /// Below these the error test measures a component absolutely: its typical size.
  std::vector<double> sizes_;
  Eigen::MatrixXd jacobian_;
  std::vector<double> time_derivative_;
  /// Where the two derivatives above are those of f.
  double t_known_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> x_known_;
  std::vector<double> x_stage_;
  std::vector<double> rate_;
  std::vector<double> error_;
  double previous_step_ = 0.0;
  double previous_error_ = 0.0;
  bool tried_before_ = false;
};

}  // namespace

OdeResult odeint_rosenbrock4(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                             const OdeOptions& options, OdeSink& sink) {
  return solve_with_odeint<Rosenbrock4>(system, tspan, x0, options, sink);
}

}  // namespace mbdbench
