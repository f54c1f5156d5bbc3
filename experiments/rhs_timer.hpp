#pragma once
/// \file
/// The time of one right-hand side, in batches long enough for the clocks.
#include <optional>
#include <span>
#include <vector>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// A timed batch of right-hand sides, s for one of them.
struct RhsBatch {
  double wall = 0.0;
  double processor = 0.0;
  /// \returns the part of the time in which the process had its processor; above 1 with threads.
  [[nodiscard]] double share() const { return wall > 0.0 ? processor / wall : 0.0; }
};

/// \returns the wall clock, s from some moment.
double wall_clock();

/// Repeats the right-hand side at (t, x) until the batch has taken `shortest` seconds of processor time. \returns
/// nothing where it fails
std::optional<RhsBatch> time_batch(Formulation& formulation, double t, std::span<const double> x, double shortest);

/// Batches of one formulation, in the order in which they were timed.
class RhsTimes {
 public:
  void add(const RhsBatch& batch) { batches_.push_back(batch); }
  [[nodiscard]] std::size_t count() const { return batches_.size(); }
  /// \returns the median wall time, s.
  [[nodiscard]] double median() const { return quantile(0.5); }
  [[nodiscard]] double fastest() const { return quantile(0.0); }
  /// \returns the distance of the quartiles over the median.
  [[nodiscard]] double spread() const;
  /// \returns the median share of the processor.
  [[nodiscard]] double share() const;
  /// \returns whether half of the batches or more had less than 90 % of their processor: what was measured then is what
  /// else the machine did.
  [[nodiscard]] bool disturbed() const { return share() < kUndisturbedShare; }

  static constexpr double kUndisturbedShare = 0.9;

 private:
  [[nodiscard]] double quantile(double part) const;
  std::vector<RhsBatch> batches_;
};

}  // namespace mbdbench
