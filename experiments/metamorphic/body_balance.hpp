#pragma once
/// \file
/// The balance of every body at the start: what its markers' accelerations need against all that acts on it.
#include <vector>

#include "experiments/metamorphic/told_mechanism.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench::metamorphic {

/// \param t of the start \param accelerations of the markers \param uncertainty of these, which is granted
/// \returns of the worst body, m a and dL/dt against all its forces, of their size
double worst_imbalance(const Told& told, double t, const std::vector<Vec3>& accelerations, double uncertainty,
                       const Mechanism& mechanism, const Reactions& reactions);

}  // namespace mbdbench::metamorphic
