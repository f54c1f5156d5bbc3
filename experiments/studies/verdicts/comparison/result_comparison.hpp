#pragma once
/// \file
/// Two directories of results against one another: what must be equal, what got worse, what cannot be said.
#include <filesystem>
#include <string>
#include <vector>

namespace mbdbench::studies {

/// What became of a number or a file from A to B.
enum class Change { equal, better, changed, worse, appeared, refused, incomparable };

/// One difference.
struct Difference {
  Change change = Change::equal;
  std::string what;  ///< which number or file
  std::string how;   ///< "3169 -> 3175", "1.31 times slower (p = 2e-05, ...)"
};

/// When something counts as worse.
struct ComparisonLimits {
  double error_ratio = 1.1;   ///< errors and drifts of B over those of A
  double time_ratio = 1.05;   ///< medians of times, where the test says that they differ
  double probability = 0.01;  ///< of the test, after Holm's correction for so many tests
};

/// All of it.
struct ResultComparison {
  std::vector<Difference> differences;  ///< all but the equal ones
  std::size_t equal = 0;
  std::size_t within_ranges = 0;     ///< of the equal ones, those that differ as they do from machine to machine
  std::vector<std::string> inputs;   ///< what differs in what both were made from
  std::vector<std::string> renamed;  ///< what has another name only
  std::vector<std::string> rounded;  ///< what differs by rounding alone, and counts as the same
  bool inputs_known = false;         ///< whether both folders say what they were made from

  [[nodiscard]] std::size_t count(Change change) const;
};

/// Counts (whole pure numbers), verdicts and trajectories must be equal; errors and drifts may grow by the limit; other
/// numbers may change in their last digits (1e-9), and more is told and not judged; times are tested where both sides
/// have nine repetitions and refused otherwise. Numbers that A's rounding.csv lists must be in their ranges. What was
/// made from other inputs is not judged, what has another name is found.
/// \throws FileError for directories without records
ResultComparison compare_results(const std::filesystem::path& a, const std::filesystem::path& b,
                                 const ComparisonLimits& limits);

}  // namespace mbdbench::studies
