#pragma once
/// \file
/// [Malczyk2008], section 3: the formulation of Bae and Haug for one loop, one process against two.
#include "experiments/registries/experiment.hpp"

namespace mbdbench {

/// Writes records.csv, timings.csv and timing_claims.csv (docs/results.md) and prints verdicts and claims.
/// \returns whether every asserted verdict came out right; also false when the user asked to stop.
bool run_malczyk2008(ExperimentContext& context);

}  // namespace mbdbench
