/// \file
/// J. R. Dormand, P. J. Prince, A family of embedded Runge-Kutta formulae, J. Comput. Appl. Math. 6 (1980) 19-26: the
/// pair. L. F. Shampine, Some practical Runge-Kutta formulas, Math. Comp. 46 (1986) 135-150: its continuous extension.
/// L. F. Shampine, M. W. Reichelt, The MATLAB ODE Suite, SIAM J. Sci. Comput. 18 (1997) 1-22: the step size control.
///
/// | papers | here |
/// |---|---|
/// | c_i, a_ij, b_j (order 5) | kNodes, kStages, its last entry |
/// | b_j - bhat_j | kError |
/// | b_j(theta) | extension_weights |
///
/// Cost an attempt: 6 evaluations of f and 35 multiply-adds a component; a sample inside a step: 7 multiply-adds a
/// component.
#include "integrators/matlab/ode45.hpp"

#include <array>
#include <tuple>

#include "integrators/runge_kutta/runge_kutta_pair.hpp"

namespace mbdbench {
namespace {

struct DormandPrince {
  static constexpr int kOrder = 5;
  static constexpr int kDefaultRefine = 4;
  static constexpr double kFirstFailureFloor = 0.1;

  static constexpr std::array kNodes = {1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0};
  static constexpr std::tuple kStages = {
      std::array{1.0 / 5.0},
      std::array{3.0 / 40.0, 9.0 / 40.0},
      std::array{44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
      std::array{19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
      std::array{9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
      std::array{35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}};
  static constexpr std::array kError = {71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
                                        -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};

  /// Weights of k_1 ... k_7 at the fraction theta of a step.
  static constexpr std::array<double, 7> extension_weights(double theta) {
    const double square = theta * theta;
    return {theta + square * (-183.0 / 64.0 + theta * (37.0 / 12.0 - theta * (145.0 / 128.0))),
            0.0,
            square * (1500.0 / 371.0 + theta * (-1000.0 / 159.0 + theta * (1000.0 / 371.0))),
            square * (-125.0 / 32.0 + theta * (125.0 / 12.0 - theta * (375.0 / 64.0))),
            square * (9477.0 / 3392.0 + theta * (-729.0 / 106.0 + theta * (25515.0 / 6784.0))),
            square * (-11.0 / 7.0 + theta * (11.0 / 3.0 - theta * (55.0 / 28.0))),
            square * (3.0 / 2.0 + theta * (-4.0 + theta * (5.0 / 2.0)))};
  }
};

}  // namespace

OdeResult ode45(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                const OdeOptions& options, OdeSink& sink) {
  return RungeKuttaRun<DormandPrince>(system, tspan, x0, options, sink).solve();
}

}  // namespace mbdbench
