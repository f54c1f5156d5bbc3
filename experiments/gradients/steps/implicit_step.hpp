#pragma once
/// \file
/// Steps of implicit Runge-Kutta methods, by the integrators' own iterations.
///
/// A step here depends on its start alone, so that it can be made again from any checkpoint with the same bits. The
/// integrators do the same where a fixed-point iteration solves their stages (`implicit-midpoint`, `gauss4`, `gauss6`
/// where |h df/dx| is small): there the bits are theirs. Where Newton's method is needed (`trapezoidal`, always) they
/// keep its matrices from step to step and the ends of steps differ by rounding.
///
/// Derivatives are those of stages that solve their equations exactly. They are iterated until rounding ends it.
#include <cstddef>
#include <memory>
#include <span>

#include "experiments/gradients/steps/step_method.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench::gradients {

/// Of one formulation, which must outlive it.
class ImplicitStep {
 public:
  ImplicitStep() = default;
  virtual ~ImplicitStep() = default;
  ImplicitStep(const ImplicitStep&) = delete;
  ImplicitStep& operator=(const ImplicitStep&) = delete;
  ImplicitStep(ImplicitStep&&) = delete;
  ImplicitStep& operator=(ImplicitStep&&) = delete;

  /// One step from x to x_new. \param stages, rates rows of as many numbers as x has, one a stage: the states of the
  /// stages, and x' there \throws RunFailure
  virtual void solve(const StepInterval& step, std::span<const double> x, std::span<double> stages,
                     std::span<double> rates, std::span<double> x_new) = 0;
};

/// \returns the steps of an implicit method.
std::unique_ptr<ImplicitStep> make_implicit_step(const StepMethod& method, Formulation& formulation);

}  // namespace mbdbench::gradients
