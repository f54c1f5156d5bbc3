#include "experiments/verification/derivatives/state_derivative.hpp"

#include <array>
#include <utility>

namespace mbdbench {

StateDerivative derivative_along(const StateFunction& function, double t, const Eigen::VectorXd& x,
                                 const Eigen::VectorXd& xdot, double h) {
  StateDerivative result;
  // f(h) - f(-h) for h, 2 h, 4 h.
  std::array<Eigen::VectorXd, 3> differences;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    const double s = h * static_cast<double>(1U << i);
    std::array<Eigen::VectorXd, 2> values;
    for (std::size_t side = 0; side < 2; ++side) {
      const double signed_s = side == 0 ? s : -s;
      const Eigen::VectorXd moved = x + signed_s * xdot;
      result.failure = function(t + signed_s, {moved.data(), static_cast<std::size_t>(moved.size())}, values[side]);
      if (!result.failure.empty()) {
        return result;
      }
    }
    differences[i] = values[0] - values[1];
  }
  const auto fourth_order = [&](std::size_t i, double step) -> Eigen::VectorXd {
    return (8.0 * differences[i] - differences[i + 1]) / (12.0 * step);
  };
  result.value = fourth_order(0, h);
  result.uncertainty = (result.value - fourth_order(1, 2.0 * h)).cwiseAbs();
  return result;
}

StateDerivative derivative_ahead(const StateFunction& function, double t, const Eigen::VectorXd& x,
                                 const Eigen::VectorXd& xdot, double h, const Eigen::VectorXd& here) {
  StateDerivative result;
  std::array<Eigen::VectorXd, 9> values;  // at multiples of h, those that are needed
  values[0] = here;
  for (const std::size_t i : {1U, 2U, 3U, 4U, 6U, 8U}) {
    const double s = h * static_cast<double>(i);
    const Eigen::VectorXd moved = x + s * xdot;
    result.failure = function(t + s, {moved.data(), static_cast<std::size_t>(moved.size())}, values[i]);
    if (!result.failure.empty()) {
      return result;
    }
  }
  const auto fourth_order = [&](std::size_t every) -> Eigen::VectorXd {
    return (-25.0 * values[0] + 48.0 * values[every] - 36.0 * values[2 * every] + 16.0 * values[3 * every] -
            3.0 * values[4 * every]) /
           (12.0 * h * static_cast<double>(every));
  };
  result.value = fourth_order(1);
  result.uncertainty = (result.value - fourth_order(2)).cwiseAbs();
  return result;
}

}  // namespace mbdbench
