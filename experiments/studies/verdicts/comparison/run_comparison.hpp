#pragma once
/// \file
/// Two runs of `simulate` against one another.
#include <filesystem>

#include "experiments/studies/verdicts/comparison/result_comparison.hpp"

namespace mbdbench::studies {

/// \returns whether a directory holds a finished run of `simulate`.
bool is_run(const std::filesystem::path& directory);

/// The integrator's counts, the status and the trajectory must be equal; imbalance and residuals may grow by the limit.
/// Runs of other mechanisms, methods or settings are not judged: `inputs` says what differs.
/// \throws FileError for directories that hold no run
ResultComparison compare_simulations(const std::filesystem::path& a, const std::filesystem::path& b,
                                     const ComparisonLimits& limits);

}  // namespace mbdbench::studies
