/// \file
/// P. Bogacki, L. F. Shampine, A 3(2) pair of Runge-Kutta formulas, Appl. Math. Lett. 2 (1989) 321-325: the pair and
/// its interpolant. L. F. Shampine, M. W. Reichelt, The MATLAB ODE Suite, SIAM J. Sci. Comput. 18 (1997) 1-22: the step
/// size control.
///
/// | papers | here |
/// |---|---|
/// | c_i, a_ij, b_j (order 3) | kNodes, kStages, its last entry |
/// | b_j - bhat_j | kError |
/// | cubic Hermite interpolant | extension_weights |
///
/// Cost an attempt: 3 evaluations of f and 9 multiply-adds a component; a sample inside a step: 4 multiply-adds a
/// component.
#include "integrators/matlab/ode23.hpp"

#include <array>
#include <tuple>

#include "integrators/runge_kutta/runge_kutta_pair.hpp"

namespace mbdbench {
namespace {

struct BogackiShampine {
  static constexpr int kOrder = 3;
  static constexpr int kDefaultRefine = 1;
  static constexpr double kFirstFailureFloor = 0.5;

  static constexpr std::array kNodes = {1.0 / 2.0, 3.0 / 4.0, 1.0};
  static constexpr std::tuple kStages = {std::array{1.0 / 2.0}, std::array{0.0, 3.0 / 4.0},
                                         std::array{2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0}};
  static constexpr std::array kError = {-5.0 / 72.0, 1.0 / 12.0, 1.0 / 9.0, -1.0 / 8.0};

  /// Weights of k_1 ... k_4 at the fraction theta of a step: the cubic through both ends with the slopes k_1 and k_4,
  /// its rise written as the solution's weights of k_1 ... k_3.
  static constexpr std::array<double, 4> extension_weights(double theta) {
    const double square = theta * theta;
    const double rise = square * (3.0 - 2.0 * theta);
    return {theta + square * (theta - 2.0) + rise * (2.0 / 9.0), rise * (1.0 / 3.0), rise * (4.0 / 9.0),
            square * (theta - 1.0)};
  }
};

}  // namespace

OdeResult ode23(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                const OdeOptions& options, OdeSink& sink) {
  return RungeKuttaRun<BogackiShampine>(system, tspan, x0, options, sink).solve();
}

}  // namespace mbdbench
