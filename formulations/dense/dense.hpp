#pragma once
/// \file
/// The two registry entries of the O(n^3) reference.
#include "formulations/formulation.hpp"

namespace mbdbench {

/// State (q, u): accelerations from M u' = f + Phi_q^T lambda.
FormulationEntry dense_entry();

/// State (q, p): velocities from M u = p + Phi_q^T sigma, then p'.
FormulationEntry dense_momentum_entry();

}  // namespace mbdbench
