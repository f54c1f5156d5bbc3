#include "integrators/jacobians/difference_jacobian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "integrators/vector_span.hpp"

namespace mbdbench {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Powers of eps as Salane chose them. A difference relative to f below the first is roundoff; below the second it has
// lost half its digits; above the third the increment is larger than it need be.
const double kRoundoff = std::pow(kEpsilon, 0.875);
const double kSmallDifference = std::pow(kEpsilon, 0.75);
const double kLargeDifference = std::pow(kEpsilon, 0.25);
const double kSmallestFactor = std::pow(kEpsilon, 0.78);
constexpr double kLargestFactor = 0.1;

}  // namespace

DifferenceJacobian::DifferenceJacobian(const OdeOptions& options, const OdeSystem& system)
    : constant_(system.constant),
      thresholds_(system.size),
      factors_(Eigen::VectorXd::Constant(static_cast<Eigen::Index>(system.size), std::sqrt(kEpsilon))),
      moved_(system.size),
      f_moved_(system.size) {
  constant_.resize(system.size, false);
  const auto& tolerance = options.absolute_tolerance;
  for (std::size_t i = 0; i < system.size; ++i) {
    thresholds_[i] = tolerance.size() == 1 ? tolerance[0] : tolerance[i];
  }
}

/// An increment that x + increment represents exactly, in the direction in which f moves the component.
double DifferenceJacobian::increment(Eigen::Index column, double factor, double x, double f) const {
  const double scale = std::max(std::abs(x), thresholds_[column]);
  const double size = std::abs((x + factor * scale) - x);
  return f >= 0.0 ? size : -size;
}

/// Enlarges the factor until the increment is not lost in rounding.
double DifferenceJacobian::usable_increment(Eigen::Index column, double x, double f) {
  double result = increment(column, factors_[column], x, f);
  while (result == 0.0 && factors_[column] < kLargestFactor) {
    factors_[column] = std::min(100.0 * factors_[column], kLargestFactor);
    result = increment(column, factors_[column], x, f);
  }
  return result;
}

/// f_moved_ = f with one component moved; moved_ is x before and after.
Evaluation DifferenceJacobian::difference(OdeRun& run, double t, Eigen::Index column, double increment,
                                          std::span<const double> f) {
  const double kept = moved_[column];
  moved_[column] += increment;
  const Evaluation outcome = run.evaluate(t, as_span(moved_), as_span(f_moved_));
  moved_[column] = kept;
  if (outcome == Evaluation::ok) {
    f_moved_ -= as_vector(f);
  }
  return outcome;
}

/// Of the difference that f_moved_ holds.
DifferenceJacobian::Significance DifferenceJacobian::significance(std::span<const double> f) const {
  Eigen::Index row = 0;
  const double largest = f_moved_.cwiseAbs().maxCoeff(&row);
  return {largest, std::abs(f[row]), std::abs(f[row] + f_moved_[row])};
}

void DifferenceJacobian::adapt(Eigen::Index column, double factor, const Significance& found) {
  if (found.difference <= kSmallDifference * found.scale()) {
    factor = std::min(10.0 * factor, kLargestFactor);
  } else if (found.difference > kLargeDifference * found.scale()) {
    factor = std::max(0.1 * factor, kSmallestFactor);
  }
  factors_[column] = factor;
}

/// A second difference, with a much larger increment, of a column that may be roundoff; the more significant one stays.
Evaluation DifferenceJacobian::improve(OdeRun& run, double t, Eigen::Index column, std::span<const double> x,
                                       std::span<const double> f, Eigen::MatrixXd& jacobian) {
  const double factor = std::min(std::sqrt(factors_[column]), kLargestFactor);
  const double step = increment(column, factor, x[column], f[column]);
  if (factor == factors_[column] || step == 0.0) {
    return Evaluation::ok;
  }
  const Evaluation outcome = difference(run, t, column, step, f);
  if (outcome != Evaluation::ok) {
    return outcome;
  }
  const Significance found = significance(f);
  if (factor * found.difference / std::abs(step) >= jacobian.col(column).lpNorm<Eigen::Infinity>()) {
    jacobian.col(column) = f_moved_ / step;
    adapt(column, factor, found);
  }
  return outcome;
}

Evaluation DifferenceJacobian::evaluate(OdeRun& run, double t, std::span<const double> x, std::span<const double> f,
                                        Eigen::MatrixXd& jacobian) {
  moved_ = as_vector(x);
  for (Eigen::Index column = 0; column < moved_.size(); ++column) {
    if (constant_[static_cast<std::size_t>(column)]) {
      jacobian.col(column).setZero();
      continue;
    }
    const double step = usable_increment(column, x[column], f[column]);
    Evaluation outcome = difference(run, t, column, step, f);
    if (outcome != Evaluation::ok) {
      return outcome;
    }
    jacobian.col(column) = f_moved_ / step;
    const Significance found = significance(f);
    // Where f itself vanishes in the row, a difference cannot be weighed against it.
    if (found.difference != 0.0 && (found.before == 0.0 || found.after == 0.0)) {
      continue;
    }
    if (found.difference <= kRoundoff * found.scale()) {
      outcome = improve(run, t, column, x, f, jacobian);
      if (outcome != Evaluation::ok) {
        return outcome;
      }
    } else {
      adapt(column, factors_[column], found);
    }
  }
  return Evaluation::ok;
}

}  // namespace mbdbench
