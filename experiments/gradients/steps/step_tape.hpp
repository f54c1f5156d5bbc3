#pragma once
/// \file
/// Steps of a run forward, and what a sweep backward needs of them.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "experiments/gradients/steps/implicit_step.hpp"
#include "experiments/gradients/steps/run_failure.hpp"
#include "experiments/gradients/steps/step_method.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench::gradients {

/// What a sweep backward needs of one step.
struct StepRecord {
  std::span<double> start;    ///< the state from which it was made; empty where that is the first stage
  std::span<double> stages;   ///< the states at which x' was evaluated
  std::span<double> lengths;  ///< that the end divided every quaternion by; 0: it stayed as it was
  std::span<double> rates;    ///< of every stage those components of x' that are wanted later
};

/// How many numbers records have.
struct StepSizes {
  std::size_t stages = 0;
  std::size_t state = 0;
  std::size_t quaternions = 0;
  std::size_t wanted_rates = 0;
  bool starts = false;  ///< whether the start is kept beside the stages
  [[nodiscard]] std::size_t numbers() const {
    return (starts ? state : 0) + stages * (state + wanted_rates) + quaternions;
  }
};

/// Records of steps that follow one another.
class StepTape {
 public:
  /// \param steps how many are kept at most
  StepTape(std::size_t steps, const StepSizes& sizes) : sizes_(sizes), numbers_(steps * sizes.numbers()) {}

  [[nodiscard]] StepRecord record(std::size_t step) {
    const std::span<double> all = std::span(numbers_).subspan(step * sizes_.numbers(), sizes_.numbers());
    const std::size_t start = sizes_.starts ? sizes_.state : 0;
    const std::size_t states = start + sizes_.stages * sizes_.state;
    return {all.first(start), all.subspan(start, states - start), all.subspan(states, sizes_.quaternions),
            all.subspan(states + sizes_.quaternions)};
  }
  void keep(std::size_t step, const StepRecord& of) {
    const StepRecord own = record(step);
    std::copy(of.start.begin(), of.start.end(), own.start.begin());
    std::copy(of.stages.begin(), of.stages.end(), own.stages.begin());
    std::copy(of.lengths.begin(), of.lengths.end(), own.lengths.begin());
    std::copy(of.rates.begin(), of.rates.end(), own.rates.begin());
  }
  /// \returns the state from which a step was made.
  [[nodiscard]] std::span<const double> start(std::size_t step) {
    const StepRecord own = record(step);
    return sizes_.starts ? own.start : own.stages.first(sizes_.state);
  }

 private:
  StepSizes sizes_;
  std::vector<double> numbers_;
};

/// Makes steps of one formulation, which must outlive it.
class Stepper {
 public:
  /// \param wanted components of x' that records keep
  Stepper(Formulation& formulation, const StepMethod& method, std::vector<std::size_t> wanted);

  [[nodiscard]] StepSizes sizes() const {
    return {method_->stage_count(), raw_.size(), quaternions_.size(), wanted_.size(), method_->explicit_stages == 0};
  }
  /// \returns where quaternions begin in the state.
  [[nodiscard]] std::span<const std::size_t> quaternions() const { return quaternions_; }

  /// One step from x to x_new. \throws RunFailure where there is no x'; std::invalid_argument where the end of a step
  /// is changed by more than normalised quaternions
  void step(const StepInterval& interval, std::span<const double> x, const StepRecord& record, std::span<double> x_new);

 private:
  void step_explicitly(const StepInterval& interval, std::span<const double> x, const StepRecord& record,
                       std::span<double> x_new);
  void settle(double t, std::span<double> lengths, std::span<double> x_new);

  Formulation* formulation_;
  const StepMethod* method_;
  std::unique_ptr<ImplicitStep> implicit_;  ///< of an implicit method
  std::vector<std::size_t> wanted_;
  std::vector<std::size_t> quaternions_;
  std::vector<double> rates_;
  std::vector<double> raw_;
};

}  // namespace mbdbench::gradients
