#pragma once
/// \file
/// Whether one sample of times lies above another: the test of Mann and Whitney, which asks nothing of distributions.
/// [MannWhitney1947] H. B. Mann, D. R. Whitney: On a test of whether one of two random variables is stochastically
/// larger than the other. Annals of Mathematical Statistics 18 (1947) 50-60.
#include <span>

namespace mbdbench::studies {

/// Fewest values on each side for the normal approximation of U: at nine it is within a few per cent of the exact
/// probability where it matters [MannWhitney1947, Table I ends at eight].
inline constexpr int kFewestRepetitions = 9;

/// What the test says of b against a.
struct MannWhitneyResult {
  double probability = 1.0;  ///< two-sided: of a difference as large by chance
  double effect = 0.5;       ///< probability that a value of b is above one of a, ties half
};

/// U with mean n_a n_b / 2 and the variance corrected for ties. \throws std::invalid_argument for fewer values than
/// kFewestRepetitions
MannWhitneyResult mann_whitney(std::span<const double> a, std::span<const double> b);

}  // namespace mbdbench::studies
