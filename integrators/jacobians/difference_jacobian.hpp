#pragma once
/// \file
/// The Jacobian df/dx by forward differences whose increments learn from one Jacobian to the next.
///
/// D. E. Salane, Adaptive routines for forming Jacobians numerically, SAND86-1319, Sandia National Laboratories, 1986;
/// L. F. Shampine, M. W. Reichelt, The MATLAB ODE Suite, SIAM J. Sci. Comput. 18 (1997) 1-22.
///
/// | papers | here |
/// |---|---|
/// | FAC | factors_ |
/// | thresh, max(|y|, thresh) | thresholds_, scale |
/// | BL, BU, BR, FACMIN, FACMAX | kSmallDifference, kLargeDifference, kRoundoff, kSmallestFactor, kLargestFactor |
///
/// Cost: one evaluation of f a column, and one more for a column whose difference may be roundoff alone.
#include <Eigen/Core>
#include <cstddef>
#include <span>

#include <vector>
#include "integrators/ode.hpp"

#include "integrators/ode_run.hpp"

namespace mbdbench {

/// Differences of f with increments of their own for every component.
class DifferenceJacobian {
 public:
  /// \param options validated options; increments are relative to max(|x_i|, absolute tolerance). Components that the
  /// system calls constant are not moved; their columns are zero.
  DifferenceJacobian(const OdeOptions& options, const OdeSystem& system);

  /// \param f f(t, x). \param jacobian receives df/dx, of the system's size.
  /// \returns what the last evaluation returned; unless it is ok, the Jacobian is not usable.
  Evaluation evaluate(OdeRun& run, double t, std::span<const double> x, std::span<const double> f,
                      Eigen::MatrixXd& jacobian);

 private:
  /// A column's largest difference and the size of f in that row.
  struct Significance {
    double difference = 0.0;
    double before = 0.0;
    double after = 0.0;
    double scale() const { return before > after ? before : after; }
  };

  double increment(Eigen::Index column, double factor, double x, double f) const;
  double usable_increment(Eigen::Index column, double x, double f);
  Evaluation difference(OdeRun& run, double t, Eigen::Index column, double increment, std::span<const double> f);
  Significance significance(std::span<const double> f) const;
  Evaluation improve(OdeRun& run, double t, Eigen::Index column, std::span<const double> x, std::span<const double> f,
                     Eigen::MatrixXd& jacobian);
  void adapt(Eigen::Index column, double factor, const Significance& found);

  std::vector<bool> constant_;
  Eigen::VectorXd thresholds_;
  Eigen::VectorXd factors_;
  Eigen::VectorXd moved_;
  Eigen::VectorXd f_moved_;
};

}  // namespace mbdbench
