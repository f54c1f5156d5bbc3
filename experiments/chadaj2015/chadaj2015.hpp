#pragma once
/// \file
/// [Chadaj2015], section III: the 16-body pendulum with ode45 at 1e-6, and what a comparison at equal tolerance hides.
#include "experiments/registries/experiment.hpp"

namespace mbdbench {

/// Writes records.csv, timings.csv and trajectories/*.csv (docs/results.md) and prints the verdicts.
/// \returns whether every asserted verdict came out right; also false when the user asked to stop.
bool run_chadaj2015(ExperimentContext& context);

}  // namespace mbdbench
