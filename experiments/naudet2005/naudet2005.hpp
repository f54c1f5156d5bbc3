#pragma once
/// \file
/// [Naudet2005], numerical example: the biped integrated as accelerations and as canonical momenta, tables 1 to 3 and
/// figures 5 to 10, what the paper says of them in words, and the exactly reduced pair beside them.
#include "experiments/registries/experiment.hpp"

namespace mbdbench {

/// Writes records.csv, claims.csv and trajectories/*.csv (docs/results.md), prints verdicts and
/// claims. Takes seconds: a quick run is the same. \returns whether every asserted verdict came out right; also false
/// when the user asked to stop.
bool run_naudet2005(ExperimentContext& context);

}  // namespace mbdbench
