#pragma once
/// \file
/// Stages of an implicit Runge-Kutta step in numbers of 113 bits.
///
/// Newton's method from the stages in doubles, whose linear equations are those of doubles: each pass gains some 14
/// digits, until a correction is 1e-30 of the rates. What the equations are is told by the rates in 113 bits alone.
#include <functional>
#include <memory>
#include <vector>

#include "experiments/gradients/steps/implicit_step.hpp"
#include "experiments/gradients/steps/stage_system.hpp"
#include "experiments/gradients/steps/step_method.hpp"
#include "experiments/precise/motion/precise_motion.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench::gradients {

class PreciseStages {
 public:
  /// \param formulation with the state of the run, and numbers near its own; both must outlive it
  PreciseStages(Formulation& formulation, const StepMethod& method);

  /// \param k the rates of the explicit stages, to which those of the others are added \param rates x' at (t, x)
  /// \throws RunFailure where they are not found
  void solve(const StepInterval& step, const precise::Reals& x, std::vector<precise::Reals>& k,
             const std::function<precise::Reals(double t, const precise::Reals& x)>& rates);

 private:
  /// \returns x + h sum a_ij k_j of stage i.
  [[nodiscard]] precise::Reals stage(std::size_t i, double h, const precise::Reals& x,
                                     const std::vector<precise::Reals>& k) const;

  const StepMethod* method_;
  std::unique_ptr<ImplicitStep> step_;  ///< of an implicit method
  StageSystem system_;
};

}  // namespace mbdbench::gradients
