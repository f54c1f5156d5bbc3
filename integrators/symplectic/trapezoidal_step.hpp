#pragma once
/// \file
/// A step of the implicit trapezoidal rule, and how it is solved.
///
/// G. Dahlquist, A special stability problem for linear multistep methods, BIT 3 (1963) 27-43: the rule. E. Hairer, G.
/// Wanner, Solving Ordinary Differential Equations II, 2nd ed., Springer 1996, section IV.8: simplified Newton.
///
/// | papers | here |
/// |---|---|
/// | y_n, y_(n+1) | x, x_new |
/// | f_n, f_(n+1) | xdot, rate_ |
/// | I - (h / 2) J | matrix_, lu_ |
/// | z^(k+1) - z^k | correction_ |
///
/// Cost a step of n components: one evaluation of f and one solve (n^2) an iteration, 3 to 5 iterations; every Jacobian
/// n evaluations and a factorisation (n^3 / 3). All memory is taken before the first step.
#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "integrators/jacobians/curtis_reid_jacobian.hpp"
#include "integrators/ode_run.hpp"
#include "integrators/symplectic/iteration_monitor.hpp"

namespace mbdbench {

/// One step of the rule, for solve_with_fixed_step.
class TrapezoidalStep {
 public:
  TrapezoidalStep(const OdeOptions& options, std::size_t size)
      : curtis_reid_jacobian_(options, size),
        jacobian_(size, size),
        matrix_(size, size),
        lu_(static_cast<Eigen::Index>(size)),
        residual_(size),
        correction_(size),
        rate_(size) {}

  Evaluation step(OdeRun& run, double t, double h, std::span<const double> x, std::span<const double> xdot,
                  std::span<double> x_new) {
    predict(h, x, xdot, x_new);
    IterationMonitor monitor;
    bool fresh = false;
    while (true) {
      Evaluation outcome = run.evaluate(t + h, x_new, rate_);
      if (outcome == Evaluation::ok && !usable_) {
        outcome = curtis_reid_jacobian_.form(run, t + h, x_new, rate_, jacobian_);
        usable_ = fresh = true;
        factored_step_ = 0.0;
      }
      if (outcome != Evaluation::ok) {
        return outcome;
      }
      factor(run, h);
      const IterationMonitor::Verdict verdict = iterate(run, h, x, xdot, x_new, monitor);
      if (verdict == IterationMonitor::Verdict::solved) {
        usable_ = monitor.count() <= kSlow;
        return Evaluation::ok;
      }
      if (verdict == IterationMonitor::Verdict::failed) {
        if (fresh) {
          run.end_method_failed("Newton's method does not solve the trapezoidal rule; a smaller fixed_step may help");
          return Evaluation::ended;
        }
        usable_ = false;
        monitor = IterationMonitor();
        predict(h, x, xdot, x_new);
      }
    }
  }

  /// What the next step does depends on no step before it.
  void forget() { usable_ = false; }

 private:
  /// More iterations than this cost more than what a new Jacobian saves in the next steps.
  static constexpr std::size_t kSlow = 6;

  static void predict(double h, std::span<const double> x, std::span<const double> xdot, std::span<double> x_new) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x_new[i] = x[i] + h * xdot[i];
    }
  }

  void factor(OdeRun& run, double h) {
    if (h == factored_step_) {
      return;
    }
    matrix_ = -0.5 * h * jacobian_;
    matrix_.diagonal().array() += 1.0;
    lu_.compute(matrix_);
    factored_step_ = h;
    ++run.statistics().ndecomps;
  }

  IterationMonitor::Verdict iterate(OdeRun& run, double h, std::span<const double> x, std::span<const double> xdot,
                                    std::span<double> x_new, IterationMonitor& monitor) {
    double scale = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      residual_[static_cast<Eigen::Index>(i)] = x[i] - x_new[i] + 0.5 * h * (xdot[i] + rate_[i]);
      scale = std::max(scale, std::abs(x[i]));
    }
    correction_ = lu_.solve(residual_);
    double change = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double correction = correction_[static_cast<Eigen::Index>(i)];
      x_new[i] += correction;
      change = std::max(change, std::abs(correction));
      scale = std::max(scale, std::abs(x_new[i]));
    }
    ++run.statistics().nsolves;
    ++run.statistics().niterations;
    return monitor.judge(change, scale);
  }

  CurtisReidJacobian curtis_reid_jacobian_;
  Eigen::MatrixXd jacobian_;
  Eigen::MatrixXd matrix_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::VectorXd residual_;
  Eigen::VectorXd correction_;
  std::vector<double> rate_;
  bool usable_ = false;
  double factored_step_ = 0.0;
};

}  // namespace mbdbench
