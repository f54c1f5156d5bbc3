#pragma once
/// \file
/// `--turning JOINT=RATE`: which velocities a steady motion has.
#include <span>
#include <string>
#include <vector>

#include "experiments/equilibria/steady_velocities.hpp"

namespace mbdbench {

/// \param texts "spindle=5", "hip.2=0.3"; "spindle" alone is to be found and starts at the mechanism's own velocity
/// \throws std::invalid_argument for a name that does not exist (with the nearest that does), one that stands twice,
/// and for a rate that is not a number
std::vector<TurningRate> turning_rates(const Mechanism& mechanism, std::span<const std::string> texts);

}  // namespace mbdbench
