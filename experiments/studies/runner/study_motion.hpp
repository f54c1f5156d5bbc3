#pragma once
/// \file
/// How a mechanism of a study moves, for its report.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/registries/registries.hpp"
#include "experiments/studies/declaration/study.hpp"
#include "experiments/studies/runner/study_results.hpp"

namespace mbdbench::studies {

/// A run at evenly spaced times.
struct StudyMotion {
  std::vector<double> times;           ///< s
  std::vector<std::vector<double>> q;  ///< as many, joint coordinates, m and rad
  std::string run;                     ///< what it was computed with
};

/// Repeats the first finished run of a mechanism, for at most 10 s.
/// \param mechanism its place in the study
/// \returns 60 positions; nothing where no run of the mechanism finished.
std::optional<StudyMotion> study_motion(const Registries& registries, const Study& study, const StudyResults& results,
                                        std::size_t mechanism);

}  // namespace mbdbench::studies
