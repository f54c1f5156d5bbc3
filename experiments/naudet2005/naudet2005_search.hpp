#pragma once
/// \file
/// The search for the adaptive method behind table 3 of [Naudet2005] (step_control_search.hpp), as an experiment of its
/// own: what it found is used by `naudet2005`.
#include "experiments/experiment.hpp"

namespace mbdbench {

/// Writes all candidates to candidates_KIND.csv and the best of each kind to records.csv, best first, and prints the
/// latter. \returns false when the user asked to stop: nothing is asserted
bool run_naudet2005_search(ExperimentContext& context);

}  // namespace mbdbench
