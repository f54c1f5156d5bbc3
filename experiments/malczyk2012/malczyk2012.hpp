#pragma once
/// \file
/// [Malczyk2012], section 4: the augmented Lagrangian formulations on loops that pass singular positions, its claims
/// measured, other formulations beside them.
#include "experiments/experiment.hpp"

namespace mbdbench {

/// Writes records.csv, timings.csv, claims.csv and trajectories/*.csv (docs/results.md) and prints verdicts and claims.
/// \returns whether every asserted verdict came out right; also false when the user asked to stop.
bool run_malczyk2012(ExperimentContext& context);

}  // namespace mbdbench
