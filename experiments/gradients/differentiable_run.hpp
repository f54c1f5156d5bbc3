#pragma once
/// \file
/// Runs of a mechanism by Runge-Kutta methods, and exact derivatives of an objective of the run by the mechanism's
/// numbers, its start and its controls.
///
/// The discrete adjoint: with weights L of the state behind a step, the stages backward, w_i = h (b_i L + sum_j a_ji
/// v_j), v_i = J(X_i)^T w_i, give those before it, L + sum v_i, and every number adds w_i df/dnumber. Of implicit
/// stages these are linear equations (steps/stage_system.hpp). It is the derivative of what was computed, step by step,
/// not of the motion that it approximates. Quaternions that the end of a step normalises are differentiated with their
/// lengths.
///
/// Of a method that chooses its steps it is the derivative of the run with these steps: that they change with the
/// numbers is left out, which is of the order of the tolerances (the ends of steps differ by local errors).
///
/// Cost: a run, where steps are chosen one run more, and for every stage a vector-Jacobian product, whatever the number
/// of parameters; implicit stages a matrix of as many rows as all of them have components. Memory: all stages where the
/// limit allows it; otherwise about the square root of as much, and one run more. Bits do not depend on it.
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/gradients/numbers/varied_numbers.hpp"
#include "experiments/gradients/objective.hpp"
#include "experiments/gradients/steps/chosen_steps.hpp"
#include "experiments/gradients/steps/run_failure.hpp"
#include "experiments/gradients/steps/step_method.hpp"
#include "experiments/gradients/steps/step_times.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "formulations/registry.hpp"

namespace mbdbench::gradients {

struct RunSettings {
  std::string formulation = "aba";  ///< word, "naudet", "bae-haug[...]"
  std::string method = "rk4";
  double t0 = 0.0;
  double tf = 1.0;
  std::optional<double> step = {};  ///< of methods with a fixed one, which need it
  double memory = 256e6;            ///< bytes that may be kept of a run
  // Of methods that choose their steps:
  std::optional<double> relative_tolerance = {};  ///< unless it is given 1e-6
  std::optional<double> absolute_tolerance = {};  ///< unless it is given as the relative one
  std::vector<double> land_on = {};               ///< times at which steps end; so they do at times of controls
  std::function<void()> watch = {};               ///< called now and then; what it throws ends the run
};

/// An objective's value and its derivatives by all numbers.
struct RunGradient {
  double value = 0.0;
  std::vector<double> gradient;
};

/// Rows of all steps, the start included.
struct Trajectory {
  std::vector<double> t;
  std::vector<double> q;
  std::vector<double> u;
};

struct StepSizes;

class DifferentiableRun {
 public:
  /// \throws std::invalid_argument or ModelError for settings that cannot be, and where there are no derivatives
  DifferentiableRun(const FormulationRegistry& registry, const Mechanism& mechanism, VariedNumbers numbers,
                    const RunSettings& settings);
  ~DifferentiableRun() = default;
  DifferentiableRun(const DifferentiableRun&) = delete;
  DifferentiableRun& operator=(const DifferentiableRun&) = delete;
  DifferentiableRun(DifferentiableRun&&) = delete;
  DifferentiableRun& operator=(DifferentiableRun&&) = delete;

  [[nodiscard]] const VariedNumbers& numbers() const { return numbers_; }
  /// \returns the steps; of a method that chooses them those at the mechanism's own values.
  [[nodiscard]] const StepTimes& times() const { return times_; }
  /// \returns how many steps apart states are kept, at the same values; as many as there are steps: all is kept.
  [[nodiscard]] std::size_t checkpoint_distance() const { return distance_; }
  /// Adds factor times the integral of the squares of all controls over time to every objective.
  void add_control_cost(double factor);

  // All of them: \param values one a number \throws RunFailure; ModelError, std::invalid_argument for values that
  // cannot be, or an objective that is not a number

  [[nodiscard]] Trajectory trajectory(std::span<const double> values);
  [[nodiscard]] double value(std::span<const double> values, Objective& objective);
  /// By the adjoint.
  [[nodiscard]] RunGradient gradient(std::span<const double> values, Objective& objective);
  /// Derivatives of the objective along directions of the numbers, by forward sensitivities.
  /// \param directions rows of as many entries as numbers
  [[nodiscard]] RunGradient along(std::span<const double> values, std::span<const double> directions,
                                  Objective& objective);
  /// The same by central differences of the whole run in numbers of 113 bits, with equations of motion of their own
  /// (experiments/precise): what gradients are checked against. Some 0.1 ms a body and stage, more with loops. Where
  /// steps are chosen, they are those at the values.
  /// \throws std::invalid_argument for what they do not know: loops with cut screws or rows that repeat others,
  /// prescribed motions, couplings, what rolls, loads in cut joints, states that are not those of the tree's joints,
  /// and gauges of momenta that change states after steps
  [[nodiscard]] std::vector<double> precise_along(std::span<const double> values, std::span<const double> directions,
                                                  SquareSum& objective) const;

 private:
  /// A mechanism with given values, and what goes with it.
  struct Placed;
  struct Sweep;
  struct Sensitivities;

  void require_derivatives();
  void set_steps(const RunSettings& settings);
  /// \returns how many steps apart the states of a run with these steps are kept.
  [[nodiscard]] std::size_t distance_of(const StepTimes& times, const StepSizes& sizes) const;
  [[nodiscard]] std::unique_ptr<Placed> placed(std::span<const double> values) const;
  /// With its steps.
  [[nodiscard]] std::unique_ptr<Placed> stepped(std::span<const double> values) const;
  [[nodiscard]] double first_time() const { return method_->adaptive ? landings_.front() : times_.at(0); }
  void require_constraints(const Mechanism& mechanism, const RunStart& start) const;
  /// Steps from the start to the end; \param keep is told the state of every step \returns the last state
  template <typename Keep>
  std::vector<double> forward(Placed& run, const Keep& keep);
  double share(Placed& run, Objective& objective, std::size_t step, std::span<const double> x) const;
  [[nodiscard]] double control_cost(std::span<const double> values, std::span<double> derivatives) const;

  FormulationRegistry registry_;
  FormulationChoice choice_;
  Mechanism mechanism_;
  VariedNumbers numbers_;
  const StepMethod* method_;
  StepTolerances tolerances_;
  std::vector<double> landings_;  // of a method that chooses its steps
  StepTimes times_;
  double memory_;
  double control_factor_ = 0.0;
  std::size_t distance_ = 0;
  std::function<void()> watch_;
};

}  // namespace mbdbench::gradients
