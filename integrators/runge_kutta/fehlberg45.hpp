#pragma once
/// \file
/// Fehlberg's embedded pair of orders 4 and 5, one attempt at a step: shared by the fixed-step and the adaptive method.
///
/// Source: E. Fehlberg, Low-order classical Runge-Kutta formulas with stepsize control and their application to some
/// heat transfer problems, NASA TR R-315, 1969, table III.
///
/// | report | here |
/// |---|---|
/// | alpha_k, beta_k,l | kNodes, kStage2 ... kStage6 |
/// | c_k (order 4) | kSolution |
/// | chat_k - c_k | kError |
/// | f_0 ... f_5 | the derivative given, derivatives_ |
///
/// Continuous extension of order 4 over the stages and the derivative at the step's end: the conditions of order 4 at
/// every fraction theta of the step leave one weight free, that of f_5, which is 0 here (rkf45_test measures the
/// order). E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, section II.6, has how
/// such conditions are set up.
///
/// Cost an attempt: 5 evaluations of f beside the one given, 31 multiply-adds a component. All memory is taken at
/// construction.
#include <cstddef>
#include <span>
#include <vector>

#include "integrators/ode_run.hpp"

namespace mbdbench {

class Fehlberg45 {
 public:
  /// \param propagate_higher_order the new state is the solution of order 5 instead of that of order 4.
  /// \param size number of state components.
  Fehlberg45(bool propagate_higher_order, std::size_t size);

  /// \param h signed step from x at t, where the derivative is xdot. \param x_new receives the state at t + h.
  /// \returns how the evaluations went; x_new and error() are the attempt's only after Evaluation::ok.
  Evaluation attempt(OdeRun& run, double t, double h, std::span<const double> x, std::span<const double> xdot,
                     std::span<double> x_new);

  /// The state at t inside the last attempt's step from x at t_old. \param xdot_new derivative at its end
  void interpolate(double t, std::span<double> out, double t_old, double h, std::span<const double> x,
                   std::span<const double> xdot, std::span<const double> xdot_new) const;

  /// \returns solution of order 5 minus solution of order 4 of the last attempt.
  std::span<const double> error() const { return error_; }

 private:
  static constexpr std::size_t kStages = 6;

  bool propagate_higher_order_;
  std::vector<double> error_;
  std::vector<double> derivatives_;
};

}  // namespace mbdbench
