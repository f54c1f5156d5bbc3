/// \file
/// L. F. Shampine, M. W. Reichelt, The MATLAB ODE Suite, SIAM J. Sci. Comput. 18 (1997) 1-22, section 2.
///
/// | paper | here |
/// |---|---|
/// | k | order_ |
/// | D | differences_ |
/// | y^(0)_(n+1), del^(k+1) y_(n+1), y_(n+1) | equation_ |
/// | J | jacobian_ |
/// | step and order that D belongs to, steps taken with them | grid_step_, grid_order_, equal_steps_ |
/// | rtol, wt | rtol_, ErrorNorm against the state and the prediction |
/// | absh, hmin, hmax | step_, smallest_, largest_ |
///
/// Cost a step: an evaluation of f and a linear solve an iteration (one to four); a factorisation whenever step, order
/// or Jacobian change. All memory is taken before the first step.
#include "integrators/matlab/ode15s.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "integrators/error_norm.hpp"
#include "integrators/jacobians/difference_jacobian.hpp"
#include "integrators/matlab/backward_differences.hpp"
#include "integrators/matlab/ndf_step_control.hpp"
#include "integrators/matlab/order_one_start.hpp"
#include "integrators/matlab/simplified_newton.hpp"
#include "integrators/ode_run.hpp"
#include "integrators/step_size.hpp"
#include "integrators/vector_span.hpp"

namespace mbdbench {
namespace {

class Ode15s {
 public:
  static constexpr int kDefaultRefine = 1;
  static constexpr int kLargestOrder = NumericalDifferentiation::kLargestOrder;

  Ode15s(const NumericalDifferentiation& formulas, const OdeSystem& system, std::span<const double> tspan,
         std::span<const double> x0, const OdeOptions& options, OdeSink& sink)
      : formulas_(formulas),
        run_(system, tspan, x0, options, sink, kDefaultRefine),
        tspan_(tspan),
        options_(options),
        norm_(options, system.size),
        rtol_(options.relative_tolerance),
        largest_(largest_step(tspan, options, kDefaultLargestStepFraction)),
        direction_(tspan.back() > tspan.front() ? 1.0 : -1.0),
        t_(tspan.front()),
        x_(as_vector(x0)),
        f_(system.size),
        work_(system.size),
        jacobian_(system.size, system.size),
        jacobian_differences_(options, system),
        newton_(system.size, options.relative_tolerance),
        differences_(system.size),
        equation_(system.size) {
    // Differences of states do not know a shift.
    run_.shift_small_changes(options);
  }

  OdeResult solve();

 private:
  double size_of(const Eigen::VectorXd& v) const {
    return norm_.relative(as_span(v), as_span(x_), as_span(equation_.predicted));
  }
  bool succeeded(Evaluation outcome);
  bool form_jacobian();
  bool choose_starting_step(double limit);
  void factorise();
  void begin_grid();
  void restart();
  void change_grid();
  bool converge();
  OrderErrors order_errors(double error, bool accepted);
  bool shrink_after_error(double error, bool failed_before);

  const NumericalDifferentiation& formulas_;
  OdeRun run_;
  std::span<const double> tspan_;
  const OdeOptions& options_;
  ErrorNorm norm_;
  double rtol_;
  double largest_;
  double direction_;
  double t_;
  double step_ = 0.0;
  double smallest_ = 0.0;
  bool last_ = false;
  int order_ = 1;
  double grid_step_ = 0.0;
  int grid_order_ = 1;
  int equal_steps_ = 0;
  bool jacobian_current_ = false;
  Eigen::VectorXd x_;
  Eigen::VectorXd f_;
  Eigen::VectorXd work_;
  Eigen::MatrixXd jacobian_;
  DifferenceJacobian jacobian_differences_;
  SimplifiedNewton newton_;
  BackwardDifferences differences_;
  StepEquation equation_;
};

/// Outside an attempt no smaller step can help: what is not finite ends the run.
bool Ode15s::succeeded(Evaluation outcome) {
  if (outcome == Evaluation::not_finite) {
    run_.end_not_finite();
  }
  return outcome == Evaluation::ok;
}

/// At the last accepted state, with its derivative in f_, which differences need.
bool Ode15s::form_jacobian() {
  run_.count_jacobian();
  jacobian_current_ = true;
  return succeeded(run_.has_jacobian() ? run_.exact_jacobian(t_, as_span(x_), jacobian_)
                                       : jacobian_differences_.evaluate(run_, t_, as_span(x_), as_span(f_), jacobian_));
}

bool Ode15s::choose_starting_step(double limit) {
  return succeeded(order_one_step(run_, {t_, x_, f_, jacobian_}, norm_, rtol_, direction_ * limit, work_, step_));
}

void Ode15s::factorise() {
  equation_.scaled_step = direction_ * step_ * formulas_.leading(order_);
  newton_.factorise(run_, jacobian_, equation_.scaled_step);
}

/// The differences belong to step_ and order_ from now on.
void Ode15s::begin_grid() {
  grid_step_ = step_;
  grid_order_ = order_;
  equal_steps_ = 0;
  factorise();
}

void Ode15s::restart() {
  order_ = 1;
  differences_.restart(direction_ * step_, f_);
  begin_grid();
}

void Ode15s::change_grid() {
  differences_.rescale(order_, step_ / grid_step_);
  begin_grid();
}

/// Iterates until a solution is found, with a new Jacobian where the old one may be to blame, else with smaller steps.
/// \returns false when the run has ended.
bool Ode15s::converge() {
  while (true) {
    run_.begin_attempt(step_);
    equation_.t = last_ ? tspan_.back() : t_ + direction_ * step_;
    differences_.predict(order_, formulas_, x_, equation_.predicted, equation_.constant);
    const Convergence outcome = newton_.solve(run_, norm_, x_, equation_);
    if (outcome == Convergence::reached || outcome == Convergence::ended) {
      return outcome == Convergence::reached;
    }
    run_.reject();
    if (outcome == Convergence::too_slow && !jacobian_current_) {
      const bool known = run_.has_jacobian() || succeeded(run_.evaluate(t_, as_span(x_), as_span(f_)));
      if (!known || !form_jacobian()) {
        return false;
      }
      factorise();
      continue;
    }
    if (step_ <= smallest_) {
      if (outcome == Convergence::not_finite) {
        run_.end_not_finite();
      } else {
        run_.end_step_too_small(
            smallest_,
            norm_.dominant_component(as_span(newton_.correction()), as_span(x_), as_span(equation_.predicted)),
            "correction of Newton's iteration");
      }
      return false;
    }
    step_ = std::max(0.3 * step_, smallest_);
    last_ = false;
    change_grid();
  }
}

/// \param error that of the attempt itself. \param accepted whether its solution is among the differences already.
OrderErrors Ode15s::order_errors(double error, bool accepted) {
  OrderErrors errors{.same = error};
  if (order_ > 1) {
    work_ = differences_.difference(order_);
    if (!accepted) {
      work_ += equation_.difference;
    }
    errors.lower = size_of(work_) * formulas_.error_constant(order_ - 1);
  }
  if (accepted && order_ < kLargestOrder) {
    work_ = differences_.difference(order_ + 2);
    errors.higher = size_of(work_) * formulas_.error_constant(order_ + 1);
  }
  return errors;
}

/// A smaller step, at the first failure perhaps with a lower order. \returns false when the run has ended.
bool Ode15s::shrink_after_error(double error, bool failed_before) {
  run_.reject();
  if (step_ <= smallest_) {
    run_.end_step_too_small(
        smallest_, norm_.dominant_component(as_span(equation_.difference), as_span(x_), as_span(equation_.predicted)),
        "error");
    return false;
  }
  const StepAndOrder next = failed_before ? StepAndOrder{0.5 * step_, order_}
                                          : after_first_failure({step_, order_}, order_errors(error, false), rtol_);
  order_ = next.order;
  step_ = std::max(smallest_, next.step);
  last_ = last_ && step_ >= grid_step_;
  change_grid();
  return true;
}

OdeResult Ode15s::solve() {
  if (!run_.start(as_span(f_)) || !form_jacobian()) {
    return run_.take();
  }
  if (std::isnan(options_.initial_step)) {
    if (!choose_starting_step(std::min(largest_, std::abs(tspan_[1] - tspan_[0])))) {
      return run_.take();
    }
  } else {
    step_ = first_step(t_, as_span(x_), as_span(f_), options_, norm_, largest_, FirstStepRule{});
  }
  restart();
  const double tf = tspan_.back();
  while (t_ != tf) {
    smallest_ = smallest_step(t_);
    step_ = std::min(largest_, std::max(smallest_, step_));
    last_ = 1.1 * step_ >= std::abs(tf - t_);
    if (last_) {
      step_ = std::abs(tf - t_);
    }
    if (step_ != grid_step_ || order_ != grid_order_) {
      change_grid();
    }
    double error = 0.0;
    for (bool failed_before = false;; failed_before = true) {
      if (!converge()) {
        return run_.take();
      }
      error = size_of(equation_.difference) * formulas_.error_constant(order_);
      if (error <= rtol_) {
        break;
      }
      if (!shrink_after_error(error, failed_before)) {
        return run_.take();
      }
    }

    differences_.accept(order_, equation_.difference);
    const double t_new = equation_.t;
    const double h = t_new - t_;
    const auto interpolate = [&](double t, std::vector<double>& out) {
      differences_.interpolate(order_, (t - t_new) / h, equation_.solution,
                               {out.data(), static_cast<Eigen::Index>(out.size())});
    };
    if (!run_.accept(t_new, as_span(equation_.solution), as_span(f_), interpolate)) {
      return run_.take();
    }
    t_ = t_new;
    jacobian_current_ = false;
    if (run_.restart_needed()) {
      x_ = equation_.solution;
      if (!choose_starting_step(largest_)) {
        return run_.take();
      }
      restart();
      continue;
    }
    equal_steps_ = std::min(equal_steps_ + 1, kLargestOrder + 2);
    if (equal_steps_ >= order_ + 2) {
      const StepAndOrder next = after_success({step_, order_}, order_errors(error, true), rtol_);
      step_ = next.step;
      order_ = next.order;
    }
    x_ = equation_.solution;
  }
  return run_.take();
}

}  // namespace

OdeResult ode15s(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                 const OdeOptions& options, OdeSink& sink) {
  return Ode15s(kNdf, system, tspan, x0, options, sink).solve();
}

OdeResult ode15s_bdf(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                     const OdeOptions& options, OdeSink& sink) {
  return Ode15s(kBdf, system, tspan, x0, options, sink).solve();
}

}  // namespace mbdbench
