#pragma once
/// \file
/// Derivatives along a right-hand side by differences, with an honest estimate of their own error.
#include <Eigen/Core>
#include <functional>
#include <span>
#include <string>

namespace mbdbench {

/// A derivative and how far it may be off, component by component.
struct StateDerivative {
  std::string failure;  ///< why a value could not be had; empty when all is well
  Eigen::VectorXd value;
  Eigen::VectorXd uncertainty;  ///< difference of the results with two steps: truncation and rounding
};

/// Values at a time and state; \returns a message when they cannot be had.
using StateFunction = std::function<std::string(double t, std::span<const double> x, Eigen::VectorXd& values)>;

/// d/dt of `function` along the straight line x + s xdot, by central differences of fourth order with steps h and 2 h.
/// The curvature of the true motion drops out: only the direction at s = 0 matters.
StateDerivative derivative_along(const StateFunction& function, double t, const Eigen::VectorXd& x,
                                 const Eigen::VectorXd& xdot, double h);

/// The same from values ahead alone, where the function may bend sharply behind: steps h and 2 h, up to x + 8 h xdot; h
/// negative: behind. \param here the value at x. Rounding of values counts by up to 11 / h.
StateDerivative derivative_ahead(const StateFunction& function, double t, const Eigen::VectorXd& x,
                                 const Eigen::VectorXd& xdot, double h, const Eigen::VectorXd& here);

}  // namespace mbdbench
