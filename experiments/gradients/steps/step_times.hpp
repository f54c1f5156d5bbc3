#pragma once
/// \file
/// Where the steps of a run begin and end: every so many seconds, or as an integrator has chosen them.
#include <cstddef>
#include <span>
#include <vector>

namespace mbdbench::gradients {

/// One step: from t to end, whose difference is `size` (signed) up to rounding.
struct StepInterval {
  double t = 0.0;
  double size = 0.0;
  double end = 0.0;
};

class StepTimes {
 public:
  StepTimes() = default;
  /// t0 + k h but for the last one, as fixed-step integrators have them.
  /// \throws std::invalid_argument where the step is not positive, the times are equal, or there are more than 1e9
  /// steps
  StepTimes(double t0, double tf, double step);
  /// Those that an integrator has chosen. \param landings times, the ends of the run among them, at which steps end
  /// whatever the numbers of a run are; all others are those of one run \param ends of the steps, by time, those of the
  /// start first \param sizes of the steps, signed
  StepTimes(std::vector<double> landings, std::vector<double> ends, std::vector<double> sizes);

  [[nodiscard]] std::size_t count() const { return count_; }
  /// \returns whether steps were chosen: other numbers may have others.
  [[nodiscard]] bool are_chosen() const { return !ends_.empty(); }
  /// \returns time k of 0 ... count().
  [[nodiscard]] double at(std::size_t k) const {
    return k == count_ ? tf_ : are_chosen() ? ends_[k] : t0_ + static_cast<double>(k) * step_;
  }
  /// \returns the size of the step from time k, signed.
  [[nodiscard]] double size_of(std::size_t k) const;
  [[nodiscard]] StepInterval step(std::size_t k) const { return {at(k), size_of(k), at(k + 1)}; }
  /// \returns what a sum over the ends of steps weighs end k with, 1 ... count(), as an integral over time: the length
  /// of the step; of chosen steps, of which other numbers have others, that from landing to landing, and 0 in between.
  [[nodiscard]] double weight_of(std::size_t k) const;
  /// \returns which of them a time is: to a millionth of a step, or of landings to kNearLanding of the run.
  /// \throws std::invalid_argument saying which are nearest
  [[nodiscard]] std::size_t index_of_time(double t) const;

  /// Times of landings that are nearer to one another, in units of the run's length, are the same.
  static constexpr double kNearLanding = 1e-9;

 private:
  [[nodiscard]] std::size_t index_of_landing(double t) const;
  /// \returns which of sorted times is the first that is not before t.
  [[nodiscard]] std::size_t place_in(const std::vector<double>& times, double t) const;

  double t0_ = 0.0;
  double tf_ = 0.0;
  double step_ = 0.0;
  std::size_t count_ = 0;
  std::vector<double> landings_;
  std::vector<double> ends_;
  std::vector<double> sizes_;
};

}  // namespace mbdbench::gradients
