#pragma once
/// \file
/// The loop around a controlled stepper of Boost.Odeint: the suite's contract for samples, after_step, failures and
/// counts.
///
/// Source: K. Ahnert, M. Mulansky, Odeint - Solving ordinary differential equations in C++, AIP Conf. Proc. 1389 (2011)
/// 1586-1589, and Boost.Odeint's documentation. The stepper decides on acceptance and on the next step; the loop cuts
/// the last step so that it ends at tf, as odeint's integrate_adaptive does.
///
/// Odeint needs a first step and has no rule for it. Ours: OdeOptions::initial_step, else the step in which |h f0|
/// relative to |x0| is 0.8 rtol^(1/p) (Shampine & Reichelt 1997), at most a tenth of the interval (where f0 = 0 there
/// is nothing else to go by); p is the order of the stepper. Odeint has no largest step: OdeOptions::max_step, else the
/// interval.
///
/// Cost: the stepper's own, and a pass over the state for every evaluation.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "integrators/error_norm.hpp"
#include "integrators/jacobians/bootstrapped_extension.hpp"
#include "integrators/ode_run.hpp"
#include "integrators/step_size.hpp"

namespace mbdbench {

/// Leaves a stepper of odeint from inside an attempt; thrown by OdeintSystem, caught by solve_with_odeint.
struct OdeintInterrupt {
  Evaluation outcome;
};

/// f in odeint's form, counted and checked by the run.
class OdeintSystem {
 public:
  /// \param inside a step that is being accepted, for its samples
  explicit OdeintSystem(OdeRun& run, bool inside = false) : run_(&run), inside_(inside) {}

  /// \throws OdeintInterrupt when the evaluation does not yield a usable derivative.
  void operator()(const std::vector<double>& x, std::vector<double>& xdot, double t) const {
    const Evaluation outcome = !inside_                            ? run_->evaluate(t, x, xdot)
                               : run_->evaluate_inside(t, x, xdot) ? Evaluation::ok
                                                                   : Evaluation::ended;
    if (outcome != Evaluation::ok) {
      throw OdeintInterrupt{outcome};
    }
  }

  /// df/dx of a system that has it. \throws OdeintInterrupt likewise.
  void exact_jacobian(const std::vector<double>& x, Eigen::MatrixXd& jacobian, double t) const {
    if (const Evaluation outcome = run_->exact_jacobian(t, x, jacobian); outcome != Evaluation::ok) {
      throw OdeintInterrupt{outcome};
    }
  }

  /// \returns where methods count what odeint does not know of: Jacobians, factorisations, solves.
  OdeRun& run() const { return *run_; }

 private:
  OdeRun* run_;
  bool inside_;
};

/// What a method gives to the loop: a stepper with the order of its solution, one attempt, and its continuous
/// extension; where that is of too low an order, kSampleOrder and kInterpolationPower (its local error goes with that
/// power of the step) make it the start of a bootstrapped one. A method may have `sample` instead, which evaluates f.
///
/// attempt: from x, xdot at t with step dt; on success (true) x_new and xdot_new hold the state and derivative at t +
/// dt. dt receives the step to try next. interpolate: the state at t inside the last accepted step [t_old, t_new].
template <class Method>
concept OdeintMethod = std::constructible_from<Method, const OdeOptions&, std::size_t> &&
    requires(Method method, const OdeintSystem& f, const std::vector<double>& in, std::vector<double>& out, double t,
             double& dt) {
  { Method::kOrder } -> std::convertible_to<int>;
  { method.attempt(f, in, in, t, out, out, dt) } -> std::same_as<bool>;
};

/// A method that gives samples inside a step by evaluations of f of its own.
template <class Method>
concept WithSamples = requires(Method method, const OdeintSystem& f, const std::vector<double>& in,
                               std::vector<double>& out, double t) {
  method.sample(f, t, out, t, in, in);
};

/// Solves with a method of odeint. Samples: at the end of every step by default.
/// \throws std::invalid_argument as validate does.
template <OdeintMethod Method>
OdeResult solve_with_odeint(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                            const OdeOptions& options, OdeSink& sink) {
  OdeRun run(system, tspan, x0, options, sink, 1);
  const OdeintSystem f(run);
  Method method(options, system.size);
  std::optional<BootstrappedExtension> extension;
  if constexpr (requires { Method::kSampleOrder; }) {
    extension.emplace(Method::kSampleOrder, system.size);
  }
  std::vector<double> x(x0.begin(), x0.end());
  std::vector<double> x_new(system.size);
  std::vector<double> xdot(system.size);
  std::vector<double> xdot_new(system.size);
  if (!run.start(xdot)) {
    return run.take();
  }

  double t = tspan.front();
  const double tf = tspan.back();
  const double direction = tf > t ? 1.0 : -1.0;
  const double largest = largest_step(tspan, options, 1.0);
  const ErrorNorm norm(options, system.size);
  const FirstStepRule rule{.relative_change = 0.8 * std::pow(options.relative_tolerance, 1.0 / Method::kOrder),
                           .upper_limit = 0.1 * std::abs(tf - t)};
  double step = first_step(t, x, xdot, options, norm, largest, rule);
  while (t != tf) {
    const double smallest = smallest_step(t);
    step = std::min(largest, std::max(smallest, step));
    // A remainder below the smallest step would be rounding, not a step: the last step takes it along.
    const bool last = step + smallest >= std::abs(tf - t);
    if (last) {
      step = std::abs(tf - t);
    }
    run.begin_attempt(step);
    double dt = direction * step;
    const double t_new = last ? tf : t + dt;
    bool accepted = false;
    Evaluation outcome = Evaluation::ok;
    try {
      accepted = method.attempt(f, x, xdot, t, x_new, xdot_new, dt);
    } catch (const OdeintInterrupt& interrupt) {
      outcome = interrupt.outcome;
      dt *= 0.1;
    }
    if (outcome == Evaluation::ended) {
      return run.take();
    }
    if (accepted) {
      const auto interpolate = [&](double t_sample, std::vector<double>& out) {
        if constexpr (WithSamples<Method>) {
          try {
            method.sample(OdeintSystem(run, true), t_sample, out, t, x, xdot);
            return true;
          } catch (const OdeintInterrupt&) {
            return false;
          }
        } else {
          const auto by_method = [&](double t_inside, std::vector<double>& x_inside) {
            method.interpolate(t_inside, x_inside, t, x, xdot, t_new, x_new, xdot_new);
          };
          if constexpr (requires { Method::kSampleOrder; }) {
            return extension->at(run, {t, x, xdot, t_new, x_new, xdot_new}, t_sample, out, Method::kInterpolationPower,
                                 by_method);
          } else {
            by_method(t_sample, out);
          }
        }
      };
      if (extension) {
        extension->begin_step();
      }
      if (!run.accept(t_new, x_new, xdot_new, interpolate)) {
        return run.take();
      }
      t = t_new;
      std::swap(x, x_new);
      std::swap(xdot, xdot_new);
    } else {
      run.reject();
      if (step <= smallest) {
        // An attempt can overflow after its last evaluation, in the sums that make the new state.
        if (outcome == Evaluation::ok && run.all_finite(t_new, x_new, "value")) {
          run.end_step_too_small(smallest, norm.dominant_component(xdot, x, x), "rate");
        } else {
          run.end_not_finite();
        }
        return run.take();
      }
    }
    step = std::abs(dt);
  }
  return run.take();
}

}  // namespace mbdbench
