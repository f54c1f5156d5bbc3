#pragma once
/// \file
/// Steps of a run forward, and what a sweep backward needs of them.
#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/gradients/step_method.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench::gradients {

/// A run that could not go on: what, when, and in which joint.
class RunFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a sweep backward needs of one step.
struct StepRecord {
  std::span<double> stages;   ///< the states at which x' was evaluated, the first of which is the start
  std::span<double> lengths;  ///< that the end divided every quaternion by; 0: it stayed as it was
  std::span<double> rates;    ///< of every stage those components of x' that are wanted later
};

/// How many numbers records have.
struct StepSizes {
  std::size_t stages = 0;
  std::size_t state = 0;
  std::size_t quaternions = 0;
  std::size_t wanted_rates = 0;
  [[nodiscard]] std::size_t numbers() const { return stages * (state + wanted_rates) + quaternions; }
};

/// Records of steps that follow one another.
class StepTape {
 public:
  /// \param steps how many are kept at most
  StepTape(std::size_t steps, const StepSizes& sizes) : sizes_(sizes), numbers_(steps * sizes.numbers()) {}

  [[nodiscard]] StepRecord record(std::size_t step) {
    const std::span<double> all = std::span(numbers_).subspan(step * sizes_.numbers(), sizes_.numbers());
    const std::size_t states = sizes_.stages * sizes_.state;
    return {all.first(states), all.subspan(states, sizes_.quaternions), all.subspan(states + sizes_.quaternions)};
  }
  void keep(std::size_t step, const StepRecord& of) {
    const StepRecord own = record(step);
    std::copy(of.stages.begin(), of.stages.end(), own.stages.begin());
    std::copy(of.lengths.begin(), of.lengths.end(), own.lengths.begin());
    std::copy(of.rates.begin(), of.rates.end(), own.rates.begin());
  }
  /// \returns the state from which a step was made.
  [[nodiscard]] std::span<const double> start(std::size_t step) { return record(step).stages.first(sizes_.state); }

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
    return {method_->stage_count(), raw_.size(), quaternions_.size(), wanted_.size()};
  }
  /// \returns where quaternions begin in the state.
  [[nodiscard]] std::span<const std::size_t> quaternions() const { return quaternions_; }

  /// One step from x to x_new. \throws RunFailure where there is no x'; std::invalid_argument where the end of a step
  /// is changed by more than normalised quaternions
  void step(double t, double h, std::span<const double> x, const StepRecord& record, std::span<double> x_new);

 private:
  void settle(double t, std::span<double> lengths, std::span<double> x_new);

  Formulation* formulation_;
  const StepMethod* method_;
  std::vector<std::size_t> wanted_;
  std::vector<std::size_t> quaternions_;
  std::vector<double> rates_;
  std::vector<double> raw_;
};

}  // namespace mbdbench::gradients
