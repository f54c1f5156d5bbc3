#include "integrators/jacobians/curtis_reid_jacobian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mbdbench {

CurtisReidJacobian::CurtisReidJacobian(const OdeOptions& options, std::size_t size)
    : thresholds_(options.absolute_tolerance), shifted_(size), shifted_rate_(size) {
  thresholds_.resize(size, thresholds_.front());
  for (double& threshold : thresholds_) {
    threshold /= options.relative_tolerance;
  }
}

Evaluation CurtisReidJacobian::form(OdeRun& run, double t, std::span<const double> x, std::span<const double> xdot,
                                    Eigen::MatrixXd& jacobian) {
  if (run.has_jacobian()) {
    const Evaluation outcome = run.exact_jacobian(t, x, jacobian);
    run.statistics().npds += outcome == Evaluation::ok ? 1 : 0;
    return outcome;
  }
  const double relative_increment = std::sqrt(std::numeric_limits<double>::epsilon());
  std::copy(x.begin(), x.end(), shifted_.begin());
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (run.is_constant(j)) {
      jacobian.col(static_cast<Eigen::Index>(j)).setZero();
      continue;
    }
    const double increment = relative_increment * std::max(std::abs(x[j]), thresholds_[j]);
    shifted_[j] = x[j] + std::copysign(increment, xdot[j]);
    const double difference = shifted_[j] - x[j];
    const Evaluation outcome = run.evaluate(t, shifted_, shifted_rate_);
    if (outcome != Evaluation::ok) {
      return outcome;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      jacobian(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = (shifted_rate_[i] - xdot[i]) / difference;
    }
    shifted_[j] = x[j];
  }
  ++run.statistics().npds;
  return Evaluation::ok;
}

}  // namespace mbdbench
