#include "experiments/verification/state_derivative.hpp"

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

}  // namespace mbdbench
