#pragma once
/// \file
/// The Jacobian of f by forward differences with fixed increments, for methods whose counts nobody has published;
/// ode15s needs MATLAB's adaptive increments (difference_jacobian.hpp). Where the system has exact derivatives, these.
///
/// Source: A. R. Curtis, J. K. Reid, The choice of step lengths when using differences to approximate Jacobian
/// matrices, J. Inst. Maths Applics 13 (1974) 121-126; the increment is the usual square root of the rounding unit
/// relative to max(|x_j|, atol_j / rtol), in the direction in which the solution moves, since f is defined there.
///
/// Cost: one evaluation of f a component; none where the derivatives are exact.
#include <Eigen/Core>
#include <span>
#include <vector>

#include "integrators/ode_run.hpp"

namespace mbdbench {

class CurtisReidJacobian {
 public:
  /// \param options validated options. \param size number of state components.
  CurtisReidJacobian(const OdeOptions& options, std::size_t size);

  /// jacobian(i, j) = d f_i / d x_j at (t, x), where f is xdot; counted as one in OdeStatistics::npds when complete.
  /// \returns what the last evaluation returned
  Evaluation form(OdeRun& run, double t, std::span<const double> x, std::span<const double> xdot,
                  Eigen::MatrixXd& jacobian);

 private:
  std::vector<double> thresholds_;
  std::vector<double> shifted_;
  std::vector<double> shifted_rate_;
};

}  // namespace mbdbench
