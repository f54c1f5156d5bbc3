#pragma once
/// \file
/// The balance of momentum and angular momentum of a whole mechanism at one state: P' and L' along a right-hand side,
/// by differences, against gravity, loads and the wrenches of the joints on the ground. Internal forces drop out, and
/// nothing here knows how a formulation found its accelerations.
#include <span>

#include "formulations/formulation.hpp"

namespace mbdbench::soak {

/// What is left over, and what may be.
struct MomentumBalance {
  RhsStatus status;
  double imbalance = 0.0;    ///< largest component of [P' - F; L' - M], relative to the size of the terms
  double uncertainty = 0.0;  ///< of the differences, in the same unit
};

/// \param x a state of the formulation
MomentumBalance momentum_balance(Formulation& formulation, double t, std::span<const double> x);

}  // namespace mbdbench::soak
