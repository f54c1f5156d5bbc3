#pragma once
/// \file
/// Work at equal accuracy: what comparisons at equal tolerance hide.
#include <vector>

#include "experiments/studies/runner/study_results.hpp"

namespace mbdbench::studies {

/// One row of a ranking.
struct RankedWork {
  std::size_t mechanism = 0;
  std::size_t variant = 0;
  std::size_t integrator = 0;
  Observer work;
  Measured amount;  ///< work where the error has the ranking's value
  int place = 0;    ///< from 1 among all of the mechanism; 0 without a number
};

/// \returns one variant's and integrator's work where the error has the ranking's value. \param cell of any control
Measured work_at_error(const Study& study, const StudyResults& results, const Ranking& ranking, const CellKey& cell,
                       const Observer& work);

/// Work between two tolerances or steps is interpolated on double logarithmic axes where the error passes the value for
/// the last time towards tight ones; nothing is extrapolated. \returns all variants and integrators of every mechanism,
/// best first, those without a number last and with a reason
std::vector<RankedWork> rank_at_equal_error(const Study& study, const StudyResults& results, const Ranking& ranking);

}  // namespace mbdbench::studies
