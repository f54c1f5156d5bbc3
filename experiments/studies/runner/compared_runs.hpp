#pragma once
/// \file
/// Numbers that compare the runs of a study with one another.
#include "experiments/studies/runner/study_results.hpp"

namespace mbdbench::studies {

/// Adds what is observed of speedups, ratios to the baseline and orders. \param results with all runs and their times
void compare_runs(const Study& study, StudyResults& results);

}  // namespace mbdbench::studies
