#pragma once
/// \file
/// Settings of ClosedDynamics as the formulations make them.
#include "formulations/naudet/closed_dynamics.hpp"

namespace mbdbench::test {

/// \returns momenta with the dependent joints of the initial position. \param scalar_only as of `dependent_candidates`
inline ClosedSettings closed_settings(const Mechanism& mechanism, bool scalar_only) {
  ClosedSettings settings;
  settings.allowed = dependent_candidates(mechanism, scalar_only);
  settings.choice = initial_choice(mechanism, settings.allowed);
  return settings;
}

}  // namespace mbdbench::test
