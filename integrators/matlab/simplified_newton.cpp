#include "integrators/matlab/simplified_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "integrators/vector_span.hpp"

namespace mbdbench {
namespace {

constexpr int kMostIterations = 4;

}  // namespace

SimplifiedNewton::SimplifiedNewton(std::size_t size, double relative_tolerance)
    : rtol_(relative_tolerance), matrix_(size, size), lu_(size), residual_(size), correction_(size) {}

void SimplifiedNewton::factorise(OdeRun& run, const Eigen::MatrixXd& jacobian, double scaled_step) {
  matrix_ = -scaled_step * jacobian;
  matrix_.diagonal().array() += 1.0;
  lu_.compute(matrix_);
  run.count_factorisation();
  rate_known_ = false;
}

/// The rest of the iterations at the present rate would not bring the error below half the tolerance.
bool SimplifiedNewton::hopeless(int iteration, double error) const {
  return iteration == kMostIterations || 0.5 * rtol_ < error * std::pow(rate_, kMostIterations - iteration);
}

Convergence SimplifiedNewton::solve(OdeRun& run, const ErrorNorm& norm, const Eigen::VectorXd& x,
                                    StepEquation& equation) {
  const auto size_of = [&](const Eigen::VectorXd& v) {
    return norm.relative(as_span(v), as_span(x), as_span(equation.predicted));
  };
  const double roundoff = 100.0 * std::numeric_limits<double>::epsilon() * size_of(equation.predicted);
  equation.difference.setZero();
  equation.solution = equation.predicted;
  double previous = 0.0;
  for (int iteration = 1;; ++iteration) {
    const Evaluation outcome = run.evaluate(equation.t, as_span(equation.solution), as_span(residual_));
    if (outcome != Evaluation::ok) {
      return outcome == Evaluation::ended ? Convergence::ended : Convergence::not_finite;
    }
    residual_ = equation.scaled_step * residual_ - (equation.constant + equation.difference);
    correction_ = lu_.solve(residual_);
    run.count_linear_solve();
    equation.difference += correction_;
    equation.solution = equation.predicted + equation.difference;
    const double size = size_of(correction_);
    if (size <= roundoff) {
      return Convergence::reached;
    }
    if (iteration == 1) {
      if (rate_known_) {
        // The rate is that of an earlier step: more caution.
        if (size * rate_ / (1.0 - rate_) <= 0.05 * rtol_) {
          return Convergence::reached;
        }
      } else {
        rate_ = 0.0;
      }
    } else if (!(size <= 0.9 * previous)) {
      return Convergence::too_slow;
    } else {
      rate_ = std::max(0.9 * rate_, size / previous);
      rate_known_ = true;
      const double error = size * rate_ / (1.0 - rate_);
      if (error <= 0.5 * rtol_) {
        return Convergence::reached;
      }
      if (hopeless(iteration, error)) {
        return Convergence::too_slow;
      }
    }
    previous = size;
  }
}

}  // namespace mbdbench
