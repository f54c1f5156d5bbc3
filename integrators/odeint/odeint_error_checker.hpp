#pragma once
/// \file
/// Boost.Odeint's default error test, extended to one tolerance a component, to the error mask and to norm control.
///
/// Source: K. Ahnert, M. Mulansky, Odeint - Solving ordinary differential equations in C++, AIP Conf. Proc. 1389 (2011)
/// 1586-1589, and Boost.Odeint's documentation, "Controlled steppers".
///
/// | documentation | here |
/// |---|---|
/// | eps_abs, eps_rel, a_x = a_dxdt = 1 | absolute_[i], relative_ |
/// | val = max_i err_i / (eps_abs + eps_rel (a_x |x_i| + a_dxdt dt |x'_i|)) | error |
///
/// Cost: one division a component and attempt.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "integrators/ode.hpp"

namespace mbdbench {

/// Odeint's ErrorChecker for states of type std::vector<double>. With one absolute tolerance, no mask and no norm
/// control it gives what odeint's default_error_checker gives.
class OdeintErrorChecker {
 public:
  /// \param options validated options. \param size number of state components.
  OdeintErrorChecker(const OdeOptions& options, std::size_t size)
      : absolute_(options.absolute_tolerance),
        relative_(options.relative_tolerance),
        mask_(options.error_mask),
        norm_control_(options.norm_control) {
    absolute_.resize(size, absolute_.front());
    mask_.resize(size, mask_.empty());
  }

  /// \returns the error of an attempt from x_old with step dt relative to what is allowed; more than 1 rejects it.
  /// Infinity
  ///          when it is not a number.
  template <class Algebra>
  double error(Algebra& /*algebra*/, const std::vector<double>& x_old, const std::vector<double>& xdot_old,
               const std::vector<double>& x_err, double dt) const {
    const double value = norm_control_ ? norm_ratio(x_old, xdot_old, x_err, std::abs(dt))
                                       : largest_ratio(x_old, xdot_old, x_err, std::abs(dt));
    return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
  }

 private:
  double largest_ratio(const std::vector<double>& x, const std::vector<double>& xdot, const std::vector<double>& x_err,
                       double dt) const {
    double largest = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (mask_[i]) {
        const double ratio =
            std::abs(x_err[i]) / (absolute_[i] + relative_ * (std::abs(x[i]) + dt * std::abs(xdot[i])));
        if (std::isnan(ratio)) {
          return ratio;
        }
        largest = std::max(largest, ratio);
      }
    }
    return largest;
  }

  double norm_ratio(const std::vector<double>& x, const std::vector<double>& xdot, const std::vector<double>& x_err,
                    double dt) const {
    return euclidean(x_err) / (absolute_.front() + relative_ * (euclidean(x) + dt * euclidean(xdot)));
  }

  double euclidean(const std::vector<double>& v) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      sum += mask_[i] ? v[i] * v[i] : 0.0;
    }
    return std::sqrt(sum);
  }

  std::vector<double> absolute_;
  double relative_;
  std::vector<bool> mask_;
  bool norm_control_;
};

}  // namespace mbdbench
