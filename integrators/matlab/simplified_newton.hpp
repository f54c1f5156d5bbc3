#pragma once
/// \file
/// Newton's iteration with a kept matrix for the equation of one implicit step, and its measure of convergence.
///
/// L. F. Shampine, M. W. Reichelt, The MATLAB ODE Suite, SIAM J. Sci. Comput. 18 (1997) 1-22, section 2.3; L. F.
/// Shampine, Implementation of implicit formulas for the solution of ODEs, SIAM J. Sci. Stat. Comput. 1 (1980) 103-118.
///
/// | papers | here |
/// |---|---|
/// | I - h / ((1 - kappa_k) gamma_k) J | matrix_, lu_ |
/// | y - y^(0) | StepEquation::difference |
/// | rate of convergence | rate_ |
///
/// Cost: n^3 / 3 multiply-adds to factorise; an iteration takes an evaluation of f and n^2 multiply-adds. At most 4
/// iterations.
#include <Eigen/Core>
#include <Eigen/LU>
#include <cstddef>

#include "integrators/error_norm.hpp"
#include "integrators/ode_run.hpp"

namespace mbdbench {

/// difference = scaled_step f(t, predicted + difference) - constant, to be solved for the difference.
struct StepEquation {
  explicit StepEquation(std::size_t size) : predicted(size), constant(size), difference(size), solution(size) {}

  double t = 0.0;
  double scaled_step = 0.0;
  Eigen::VectorXd predicted;
  Eigen::VectorXd constant;
  Eigen::VectorXd difference;
  /// predicted + difference.
  Eigen::VectorXd solution;
};

/// How an iteration ended.
enum class Convergence {
  reached,
  too_slow,    ///< the kept matrix does not serve, or the step is too large
  not_finite,  ///< a NaN or Inf on the way
  ended        ///< the run is over
};

class SimplifiedNewton {
 public:
  SimplifiedNewton(std::size_t size, double relative_tolerance);

  /// A new matrix; the rate of convergence is unknown again.
  void factorise(OdeRun& run, const Eigen::MatrixXd& jacobian, double scaled_step);

  /// Iterates from difference = 0. \param x the state at the start of the step, for the weights of `norm`.
  Convergence solve(OdeRun& run, const ErrorNorm& norm, const Eigen::VectorXd& x, StepEquation& equation);

  /// The last correction, for messages.
  const Eigen::VectorXd& correction() const { return correction_; }

 private:
  bool hopeless(int iteration, double error) const;

  double rtol_;
  Eigen::MatrixXd matrix_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::VectorXd residual_;
  Eigen::VectorXd correction_;
  double rate_ = 0.0;
  bool rate_known_ = false;
};

}  // namespace mbdbench
