#pragma once
/// \file
/// Times that are told with how they were measured. What counts as disturbed is decided here and nowhere else.
#include <cstddef>
#include <string>
#include <vector>

namespace mbdbench {

/// Least share of a processor of a time that counts: what was measured below it is what else the machine did.
inline constexpr double kUndisturbedShare = 0.9;

/// One repetition of timed work, s.
struct TimedRepetition {
  double wall = 0.0;
  double processor = 0.0;
  /// \returns the part of the time in which the process had its processor; above 1 with threads.
  [[nodiscard]] double share() const { return wall > 0.0 ? processor / wall : 1.0; }
  [[nodiscard]] bool disturbed() const { return share() < kUndisturbedShare; }
};

/// A time, and how it was measured.
struct Timing {
  double seconds = 0.0;
  double processor_share = 1.0;
  double spread = 0.0;  ///< distance of the quartiles over the median
  std::size_t repetitions = 1;

  [[nodiscard]] bool disturbed() const { return processor_share < kUndisturbedShare; }
  /// \returns the time of one of so many equal pieces of the work.
  [[nodiscard]] Timing per(double pieces) const;
  /// \returns the same with the share that each of so many threads had.
  [[nodiscard]] Timing of_threads(double threads) const;
  /// \returns "9 repetitions, spread 0.031, processor share 0.998", after "disturbed: " where it is.
  [[nodiscard]] std::string words() const;
};

/// Runs while it exists.
class Stopwatch {
 public:
  Stopwatch();
  /// \returns the time since it was made: the wall's, and the processors' of all threads of this process.
  [[nodiscard]] TimedRepetition elapsed() const;

 private:
  TimedRepetition start_;
};

/// Repetitions of the same work, in the order in which they were timed.
class RepeatedTimes {
 public:
  void add(const TimedRepetition& repetition) { repetitions_.push_back(repetition); }
  [[nodiscard]] std::size_t count() const { return repetitions_.size(); }
  [[nodiscard]] const std::vector<TimedRepetition>& repetitions() const { return repetitions_; }
  /// \returns the shortest repetition with its own share: whatever disturbs makes work slower. Needs a repetition.
  [[nodiscard]] Timing fastest() const;
  /// \returns the median time with the median share. Needs a repetition.
  [[nodiscard]] Timing median() const;

 private:
  [[nodiscard]] Timing timing(double seconds, double share) const;
  std::vector<TimedRepetition> repetitions_;
};

}  // namespace mbdbench
