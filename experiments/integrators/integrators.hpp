#pragma once
/// \file
/// What the integrators are worth: orders, MATLAB's counts, work against precision, energy over long times.
#include "experiments/registries/experiment.hpp"

namespace mbdbench {

/// Writes records.csv and trajectories/*.csv (docs/results.md) and prints the verdicts. Mechanisms and formulations of
/// the context join the work-precision diagrams.
/// \returns whether every asserted verdict came out right; also false when the user asked to stop.
/// \throws std::invalid_argument for a formulation that does not exist or treats none of the mechanisms, and as
///         find_mechanism does
bool run_integrators(ExperimentContext& context);

}  // namespace mbdbench
