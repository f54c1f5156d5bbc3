#pragma once
/// \file
/// What a request wants its trajectory to hold.
#include "experiments/simulation/output/trajectory_writer.hpp"
#include "experiments/simulation/simulate_run.hpp"

namespace mbdbench {

/// \returns the columns of --reactions, --columns and --reaction-point.
TrajectoryContent trajectory_content(const SimulateRequest& request);

}  // namespace mbdbench
