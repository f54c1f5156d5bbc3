#pragma once
/// \file
/// What gradients of whole runs cost and how right they are: observers `gradient_cost` and `gradient_error`.
#include <memory>
#include <string>
#include <vector>

#include "experiments/gradients/differentiable_run.hpp"
#include "experiments/registries/registries.hpp"
#include "experiments/studies/declaration/study.hpp"
#include "experiments/studies/runner/study_results.hpp"

namespace mbdbench::studies {

/// A run of 1 s from a mechanism's start, rk4 with steps of 0.01 s, of one variant: the squares of all joints' speeds
/// at its end, by all masses, all springs and dampers in tree joints and between points, all start velocities of open
/// mechanisms, and forces in all scalar tree joints, linear between five times.
class RunGradients {
 public:
  RunGradients(const Registries& registries, const Mechanism& mechanism, const StudyVariant& variant);

  /// \returns the time of a gradient by the adjoint in units of that of a run, both the fastest of several in turns.
  Measured cost();
  /// \returns the largest difference of gradient times direction from differences of the run in 113 bits, over the sum
  /// of its absolute terms; of what precise_along knows, open mechanisms and loops.
  Measured error();
  /// \returns how many numbers the gradient is taken by.
  [[nodiscard]] std::size_t numbers() const { return values_.size(); }

 private:
  std::string refusal_;  ///< why there is no such run; empty where there is
  std::unique_ptr<gradients::DifferentiableRun> run_;
  std::unique_ptr<gradients::SquareSum> objective_;
  std::vector<double> values_;
};

}  // namespace mbdbench::studies
