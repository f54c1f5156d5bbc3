/// \file
/// E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed., Springer 1993, section
/// II.9: extrapolation methods, their order and step size control. K. Ahnert, M. Mulansky, Odeint - Solving ordinary
/// differential equations in C++, AIP Conf. Proc. 1389 (2011) 1586-1589.
///
/// | book | here |
/// |---|---|
/// | T_(jk), err_j, h_j, W_j | inside stepper_.try_step |
/// | T_(jk) of a sample | table_ |
///
/// Samples inside a step: the polynomial of section II.9 through the middle of the step, which the stepper has too, is
/// up to 35 times less accurate than the steps. A sample is the end of a shorter step from the same start instead,
/// extrapolated until it changes by a tenth of the tolerance.
///
/// The stepper compares steps and work as if time increased, so that it is given the time tau = direction * t.
///
/// Cost an attempt with k extrapolations: 2 k^2 + 3 k + 1 evaluations of f, a sample inside a step 2 k^2 + 4 k + 2. The
/// stepper takes memory in every attempt.
#include "integrators/odeint/odeint_bulirsch_stoer.hpp"

#include <algorithm>
#include <array>
#include <boost/numeric/odeint/algebra/range_algebra.hpp>
#include <boost/numeric/odeint/stepper/bulirsch_stoer_dense_out.hpp>
#include <boost/numeric/odeint/stepper/modified_midpoint.hpp>
#include <cmath>
#include <type_traits>
#include <vector>

#include "integrators/odeint/odeint_adaptor.hpp"
#include "integrators/odeint/odeint_error_checker.hpp"

namespace mbdbench {
namespace {

/// A state that says how errors against it are measured: the stepper has no place for an error checker of ours, and
/// hands the state at the start of a step to its own.
struct ControlledState : std::vector<double> {
  using std::vector<double>::vector;
  const OdeintErrorChecker* checker = nullptr;
};

/// Tells the stepper apart from all others of odeint, so that its error checker can be chosen below.
struct ControlledAlgebra : boost::numeric::odeint::range_algebra {};

}  // namespace
}  // namespace mbdbench

namespace boost::numeric::odeint {

/// The customisation for our algebra: OdeintErrorChecker where the state brings one, odeint's own rule elsewhere.
template <>
class default_error_checker<double, mbdbench::ControlledAlgebra, default_operations>
    : public default_error_checker<double, range_algebra, default_operations> {
 public:
  using Base = default_error_checker<double, range_algebra, default_operations>;
  using Base::Base;

  template <class State>
  double error(mbdbench::ControlledAlgebra& algebra, const State& x_old, const std::vector<double>& xdot_old,
               std::vector<double>& x_err, double dt) const {
    if constexpr (std::is_same_v<State, mbdbench::ControlledState>) {
      return x_old.checker->error(algebra, x_old, xdot_old, x_err, dt);
    } else {
      return Base::error(algebra, x_old, xdot_old, x_err, dt);
    }
  }
};

}  // namespace boost::numeric::odeint

namespace mbdbench {
namespace {

namespace odeint = boost::numeric::odeint;

class BulirschStoer {
 public:
  /// Used for the choice of the first step only: the order of two extrapolations.
  static constexpr int kOrder = 6;

  BulirschStoer(const OdeOptions& options, std::size_t size)
      : checker_(options, size), x_(size), xdot_(size), rate_(size) {
    x_.checker = &checker_;
    // A fresh stepper has no memory and begins with five columns; one step of a system at rest gives it memory and
    // the order that a smooth motion begins with.
    stepper_.initialize(rate_, 0.0, 1.0);
    stepper_.do_step([](const std::vector<double>&, std::vector<double>& rate, double) {
      std::fill(rate.begin(), rate.end(), 0.0);
    });
    stepper_.reset();
  }

  bool attempt(const OdeintSystem& f, const std::vector<double>& x, const std::vector<double>& xdot, double t,
               std::vector<double>& x_new, std::vector<double>& xdot_new, double& dt) {
    const double direction = std::copysign(1.0, dt);
    const auto forward = [&f, direction](const std::vector<double>& x_stage, std::vector<double>& rate, double tau) {
      f(x_stage, rate, direction * tau);
      scale(rate, direction);
    };
    std::copy(x.begin(), x.end(), x_.begin());
    std::copy(xdot.begin(), xdot.end(), xdot_.begin());
    scale(xdot_, direction);
    double tau = direction * t;
    double step = std::abs(dt);
    const bool accepted = stepper_.try_step(forward, x_, xdot_, tau, x_new, xdot_new, step) == odeint::success;
    scale(xdot_new, direction);
    dt = direction * step;
    return accepted;
  }

  /// \param f throws where a sample cannot be given
  void sample(const OdeintSystem& f, double t, std::vector<double>& out, double t_old, const std::vector<double>& x_old,
              const std::vector<double>& xdot_old) {
    change_.resize(x_old.size());
    for (std::size_t k = 0; k < kMostColumns; ++k) {
      table_[k].resize(x_old.size());
      midpoint_.set_steps(static_cast<unsigned short>(substeps(k)));
      midpoint_.do_step(f, x_old, xdot_old, t_old, table_[k], t - t_old);
      for (std::size_t j = k; j-- > 0;) {
        const double ratio = substeps(k) / substeps(j);
        for (std::size_t i = 0; i < out.size(); ++i) {
          change_[i] = (table_[j + 1][i] - table_[j][i]) / (ratio * ratio - 1.0);
          table_[j][i] = table_[j + 1][i] + change_[i];
        }
      }
      odeint::range_algebra unused;
      if (k > 0 && checker_.error(unused, x_old, xdot_old, change_, t - t_old) < kSampleError) {
        break;
      }
    }
    std::copy(table_.front().begin(), table_.front().end(), out.begin());
  }

 private:
  static constexpr std::size_t kMostColumns = 8;  // as the stepper
  static constexpr double kSampleError = 0.1;     // of the tolerance
  /// Of the midpoint rule in row k: the stepper's sequence.
  static double substeps(std::size_t k) { return 2.0 + 4.0 * static_cast<double>(k); }

  static void scale(std::vector<double>& v, double factor) {
    std::transform(v.begin(), v.end(), v.begin(), [factor](double value) { return factor * value; });
  }

  odeint::bulirsch_stoer_dense_out<std::vector<double>, double, std::vector<double>, double, ControlledAlgebra,
                                   odeint::default_operations>
      stepper_;
  OdeintErrorChecker checker_;
  ControlledState x_;
  std::vector<double> xdot_;
  std::vector<double> rate_;
  odeint::modified_midpoint<std::vector<double>> midpoint_;
  std::array<std::vector<double>, kMostColumns> table_;
  std::vector<double> change_;  // of the last extrapolation
};

}  // namespace

OdeResult odeint_bulirsch_stoer(const OdeSystem& system, std::span<const double> tspan, std::span<const double> x0,
                                const OdeOptions& options, OdeSink& sink) {
  return solve_with_odeint<BulirschStoer>(system, tspan, x0, options, sink);
}

}  // namespace mbdbench
