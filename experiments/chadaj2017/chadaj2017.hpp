#pragma once
/// \file
/// [Chadaj2017], section 3: HDCA against DCA on three closed mechanisms, its claims measured, and what gauge control
/// and a comparison at equal accuracy change.
#include "experiments/registries/experiment.hpp"

namespace mbdbench {

/// Writes records.csv, timings.csv, claims.csv and trajectories/*.csv (docs/results.md) and prints verdicts and claims.
/// \returns whether every asserted verdict came out right; also false when the user asked to stop.
bool run_chadaj2017(ExperimentContext& context);

}  // namespace mbdbench
