/// \file
/// L. F. Shampine, M. K. Gordon, Computer Solution of Ordinary Differential Equations: The Initial Value Problem,
/// Freeman, 1975: the method (chapter 10, STEP). L. F. Shampine, M. W. Reichelt, The MATLAB ODE Suite, SIAM J. Sci.
/// Comput. 18 (1997) 1-22: its weights, first step and limits in MATLAB.
///
/// | sources | here |
/// |---|---|
/// | k, k_new | order_, Errors::next_order |
/// | p_(n+1), y_(n+1) | predicted_, x_new_ |
/// | f^p_(n+1) - phi*_1(n+1), the predictor's difference of order k + 1 | difference_ |
/// | gamma*_i, four figures | kGammaStar |
/// | ERK, ERKM1, ERKM2, ERR | Errors |
/// | PHASE1 | starting_ |
/// | rtol, wt | rtol_, ErrorNorm against the state at the start of the step |
/// | absh, hmin, hmax | step, smallest, largest_ |
///
/// Cost a step: 2 evaluations of f (a failed attempt: 1) and about 3 k multiply-adds a component; a sample inside a
/// step: k + 1 multiply-adds a component. All memory is taken before the first step.
#include "integrators/matlab/ode113.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "integrators/error_norm.hpp"
#include "integrators/matlab/adams_history.hpp"
#include "integrators/ode_run.hpp"
#include "integrators/step_size.hpp"

namespace mbdbench {
namespace {

/// Entry 0 is not used. Four figures, as the book has them: exact values would change the counts.
constexpr std::array kGammaStar = {0.0,    0.5,     0.0833,  0.0417,  0.0264,  0.0188,  0.0143,
                                   0.0114, 0.00936, 0.00789, 0.00679, 0.00592, 0.00524, 0.00468};

class Ode113 {
 public:
  static constexpr int kDefaultRefine = 1;
  static constexpr int kLargestOrder = AdamsHistory::kLargestOrder;

  Ode113(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0, const OdeOptions& options,
         OdeSink& sink)
      : run_(system, tspan, x0, options, sink, kDefaultRefine),
        tspan_(tspan),
        options_(options),
        norm_(options, system.size),
        rtol_(options.relative_tolerance),
        largest_(largest_step(tspan, options, kDefaultLargestStepFraction)),
        x_(x0.begin(), x0.end()),
        x_new_(system.size),
        predicted_(system.size),
        f_(system.size),
        difference_(system.size),
        sum_(system.size),
        history_(system.size) {
    // The differences are those of f along the solution: a shift leaves them alone.
    run_.shift_small_changes(options);
  }

  OdeResult solve();

 private:
  /// Estimated local errors of one attempt, in the norm of the error test.
  struct Errors {
    double accepted = std::numeric_limits<double>::infinity();  ///< of the step itself, for the error test
    double same_order = std::numeric_limits<double>::infinity();
    double lower_order = 0.0;
    int next_order = 1;
  };

  FirstStepRule starting_rule(double upper_limit) const {
    return {.relative_change = 0.25 * std::sqrt(rtol_), .upper_limit = upper_limit};
  }
  double size_of(std::span<const double> v) const { return norm_.relative(v, x_, x_); }
  double own_size_of_sum(std::span<const double> v);
  Evaluation attempt(double t_new, double h, Errors& errors);
  Errors estimate_errors(double step);
  double shrink(double step, int failures, const Errors& errors);
  void choose_order(double step, Errors& errors);
  double next_step(double step, double error) const;

  OdeRun run_;
  std::span<const double> tspan_;
  const OdeOptions& options_;
  ErrorNorm norm_;
  double rtol_;
  double largest_;
  std::vector<double> x_;
  std::vector<double> x_new_;
  std::vector<double> predicted_;
  std::vector<double> f_;
  std::vector<double> difference_;
  std::vector<double> sum_;
  AdamsHistory history_;
  int order_ = 1;
  bool starting_ = true;
};

/// \returns the size of v + difference_, of this process's components.
double Ode113::own_size_of_sum(std::span<const double> v) {
  std::transform(v.begin(), v.end(), difference_.begin(), sum_.begin(), std::plus<>());
  return norm_.own_relative(sum_, x_, x_);
}

Ode113::Errors Ode113::estimate_errors(double step) {
  Errors errors;
  const int k = order_;
  // Of the differences of orders k + 1, k and k - 1, agreed on together.
  std::array<double, 3> size = {norm_.own_relative(difference_, x_, x_),
                                k >= 2 ? own_size_of_sum(history_.difference(k)) : 0.0,
                                k >= 3 ? own_size_of_sum(history_.difference(k - 1)) : 0.0};
  norm_.agree(size);
  errors.accepted = step * (history_.g(k) - history_.g(k + 1)) * size[0];
  errors.same_order = step * history_.sigma(k + 1) * kGammaStar[k] * size[0];
  errors.next_order = k;
  if (k >= 2) {
    errors.lower_order = step * history_.sigma(k) * kGammaStar[k - 1] * size[1];
    if (k == 2) {
      errors.next_order = errors.lower_order <= 0.5 * errors.same_order ? 1 : 2;
    } else {
      const double two_lower = step * history_.sigma(k - 1) * kGammaStar[k - 2] * size[2];
      errors.next_order = std::max(errors.lower_order, two_lower) <= errors.same_order ? k - 1 : k;
    }
  }
  return errors;
}

/// Predicts, evaluates, estimates and, if the errors allow, corrects and evaluates again: f_ then belongs to x_new_.
Evaluation Ode113::attempt(double t_new, double h, Errors& errors) {
  errors = Errors{.next_order = order_};
  history_.prepare(h, order_);
  history_.predict(x_, predicted_);
  Evaluation outcome = run_.evaluate(t_new, predicted_, f_);
  if (outcome != Evaluation::ok) {
    return outcome;
  }
  const std::span<const double> extrapolated = history_.difference(1);
  std::transform(f_.begin(), f_.end(), extrapolated.begin(), difference_.begin(), std::minus<>());
  errors = estimate_errors(std::abs(h));
  outcome = run_.confirmed(outcome);
  if (outcome != Evaluation::ok) {
    errors = Errors{.next_order = order_};
  }
  if (errors.accepted <= rtol_) {
    const double weight = h * history_.g(order_ + 1);
    std::transform(predicted_.begin(), predicted_.end(), difference_.begin(), x_new_.begin(),
                   [weight](double predicted, double difference) { return predicted + weight * difference; });
    outcome = run_.settled(run_.evaluate(t_new, x_new_, f_));
    if (outcome != Evaluation::ok) {
      errors.accepted = std::numeric_limits<double>::infinity();
    }
  }
  return outcome;
}

/// After the third failure the history is believed no longer: order 1, where the error estimate tells the step.
double Ode113::shrink(double step, int failures, const Errors& errors) {
  double factor = 0.5;
  order_ = errors.next_order;
  if (failures >= 3) {
    order_ = 1;
    if (failures > 3 && std::isfinite(errors.accepted)) {
      factor = std::min(factor, std::sqrt(0.5 * rtol_ / errors.same_order));
    }
  }
  return factor * step;
}

/// The order of the next step; errors.same_order becomes its estimate.
void Ode113::choose_order(double step, Errors& errors) {
  const int k = order_;
  if (errors.next_order == k - 1 || k == kLargestOrder) {
    starting_ = false;
  }
  const auto lower = [&] {
    order_ = k - 1;
    errors.same_order = errors.lower_order;
  };
  if (starting_) {
    order_ = k + 1;
  } else if (errors.next_order == k - 1) {
    lower();
  } else if (k + 1 <= history_.constant_steps()) {
    // Only steps of one size tell what the order above would do.
    const double higher_order = step * kGammaStar[k + 1] * size_of(history_.difference(k + 2));
    const bool raise = k == 1 ? higher_order < 0.5 * errors.same_order : higher_order < errors.same_order;
    if (k > 1 && errors.lower_order <= std::min(errors.same_order, higher_order)) {
      lower();
    } else if (k < kLargestOrder && raise) {
      order_ = k + 1;
      errors.same_order = higher_order;
    }
  }
}

/// Steps double or stay, so that runs of equal steps come about; they shrink as the error asks.
double Ode113::next_step(double step, double error) const {
  if (starting_ || 0.5 * rtol_ >= std::ldexp(error, order_ + 1)) {
    return 2.0 * step;
  }
  if (0.5 * rtol_ < error) {
    return step * std::clamp(std::pow(0.5 * rtol_ / error, 1.0 / (order_ + 1)), 0.5, 0.9);
  }
  return step;
}

OdeResult Ode113::solve() {
  if (!run_.start(f_)) {
    return run_.take();
  }
  const double tf = tspan_.back();
  const double direction = tf > tspan_.front() ? 1.0 : -1.0;
  double t = tspan_.front();
  double step = first_step(t, x_, f_, options_, norm_, largest_, starting_rule(std::abs(tspan_[1] - tspan_[0])));
  history_.restart(f_);
  while (t != tf) {
    const double smallest = smallest_step(t);
    step = std::min(largest_, std::max(smallest, step));
    bool last = 1.1 * step >= std::abs(tf - t);
    if (last) {
      step = std::abs(tf - t);
    }
    double t_new = t;
    Errors errors;
    for (int failures = 0;;) {
      run_.begin_attempt(step);
      // The time is rounded but the step is not replaced by the difference of times: equal steps must stay equal.
      const double h = last ? tf - t : direction * step;
      t_new = last ? tf : t + h;
      const Evaluation outcome = attempt(t_new, h, errors);
      if (outcome == Evaluation::ended) {
        return run_.take();
      }
      if (errors.accepted <= rtol_) {
        break;
      }
      run_.reject();
      if (step <= smallest) {
        if (outcome == Evaluation::ok) {
          run_.end_step_too_small(smallest, norm_.dominant_component(difference_, x_, x_), "error");
        } else {
          run_.end_not_finite();
        }
        return run_.take();
      }
      starting_ = false;
      history_.undo();
      step = std::max(smallest, shrink(step, ++failures, errors));
      last = false;
    }

    history_.correct(f_);
    const auto interpolate = [&](double t_sample, std::vector<double>& out) {
      history_.interpolate(t_sample - t_new, x_new_, out);
    };
    if (!run_.accept(t_new, x_new_, f_, interpolate)) {
      return run_.take();
    }
    t = t_new;
    if (run_.restart_needed()) {
      history_.restart(f_);
      order_ = 1;
      starting_ = true;
      step = automatic_step(t, x_new_, f_, norm_, largest_, starting_rule(largest_));
    } else {
      choose_order(step, errors);
      step = next_step(step, errors.same_order);
    }
    std::swap(x_, x_new_);
  }
  return run_.take();
}

}  // namespace

OdeResult ode113(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                 const OdeOptions& options, OdeSink& sink) {
  return Ode113(system, tspan, x0, options, sink).solve();
}

}  // namespace mbdbench
