#pragma once
/// \file
/// Backward differences of the state on a quasi-constant grid, and the formulas (NDF, BDF) that are built on them.
///
/// L. F. Shampine, M. W. Reichelt, The MATLAB ODE Suite, SIAM J. Sci. Comput. 18 (1997) 1-22, section 2.
///
/// | paper | here |
/// |---|---|
/// | del^j y_n, matrix D | differences_ |
/// | gamma_k, kappa_k | gamma, NumericalDifferentiation::kappa |
/// | 1 / ((1 - kappa_k) gamma_k) | NumericalDifferentiation::leading |
/// | kappa_k gamma_k + 1 / (k + 1), error constant | NumericalDifferentiation::error_constant |
/// | R, U; D R U | grid_matrix; rescale |
///
/// Orders count from 1 as in the paper. Cost: predict and accept k additions a component, rescale k^2 multiply-adds.
#include <Eigen/Core>
#include <array>
#include <cstddef>

namespace mbdbench {

/// One family of formulas: kappa decides between numerical (NDF) and backward (BDF) differentiation.
struct NumericalDifferentiation {
  static constexpr int kLargestOrder = 5;

  /// \returns sum of 1 / j, j = 1 ... order.
  static constexpr double gamma(int order) {
    double sum = 0.0;
    for (int j = 1; j <= order; ++j) {
      sum += 1.0 / j;
    }
    return sum;
  }

  constexpr double leading(int order) const { return 1.0 / (gamma(order) * (1.0 - kappa[order - 1])); }
  constexpr double error_constant(int order) const { return kappa[order - 1] * gamma(order) + 1.0 / (order + 1); }

  std::array<double, kLargestOrder> kappa;
};

/// At equal error the steps are 26 % (orders 1 to 3) and 12 % (order 4) larger than the BDFs', for 7 % (order 3) and 10
/// % (order 4) of the angle of stability (Table 1 of the paper).
inline constexpr NumericalDifferentiation kNdf{{-37.0 / 200.0, -1.0 / 9.0, -0.0823, -0.0415, 0.0}};
inline constexpr NumericalDifferentiation kBdf{{0.0, 0.0, 0.0, 0.0, 0.0}};

/// The differences of the accepted states.
class BackwardDifferences {
 public:
  explicit BackwardDifferences(std::size_t size);

  /// Forgets everything but the derivative f: what follows is a step h (signed) of order 1.
  void restart(double h, const Eigen::VectorXd& f);

  /// The differences of this order's polynomial on a grid whose steps are `ratio` times the present ones.
  void rescale(int order, double ratio);

  /// predicted = x extrapolated; constant = sum_j gamma_j del^j / ((1 - kappa_k) gamma_k), what the formula knows.
  void predict(int order, const NumericalDifferentiation& formulas, const Eigen::VectorXd& x,
               Eigen::VectorXd& predicted, Eigen::VectorXd& constant) const;

  /// The step is accepted; `top` is the difference of order + 1, the accepted state less the prediction.
  void accept(int order, const Eigen::VectorXd& top);

  /// out = the state at t_new + fraction h (fraction from -1 to 0) of the accepted step that ended in x_new.
  void interpolate(int order, double fraction, const Eigen::VectorXd& x_new, Eigen::Map<Eigen::VectorXd> out) const;

  /// \returns del^i.
  Eigen::MatrixXd::ConstColXpr difference(int i) const { return differences_.col(i - 1); }

 private:
  Eigen::MatrixXd differences_;
  Eigen::MatrixXd rescaled_;
};

}  // namespace mbdbench
