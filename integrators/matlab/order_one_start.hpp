#pragma once
/// \file
/// The first step of a method of order 1, from the second derivative of the solution.
///
/// L. F. Shampine, M. W. Reichelt, The MATLAB ODE Suite, SIAM J. Sci. Comput. 18 (1997) 1-22, section 2: the error of
/// BDF1 is h^2 x'' / 2, x'' = df/dt + J f.
///
/// Cost: one evaluation of f and a product with the Jacobian.
#include <Eigen/Core>

#include "integrators/error_norm.hpp"
#include "integrators/ode_run.hpp"

namespace mbdbench {

/// Where the step starts.
struct StartingPoint {
  double t = 0.0;
  const Eigen::VectorXd& x;
  const Eigen::VectorXd& f;
  const Eigen::MatrixXd& jacobian;
};

/// \param limit the largest step to choose, negative where time runs backward.
/// \param second_derivative receives x''. \param step receives the size (positive) of the step.
/// \returns the outcome of the evaluation that df/dt takes; unless it is ok, step is not set.
Evaluation order_one_step(OdeRun& run, const StartingPoint& start, const ErrorNorm& norm, double relative_tolerance,
                          double limit, Eigen::VectorXd& second_derivative, double& step);

}  // namespace mbdbench
