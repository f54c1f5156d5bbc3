#pragma once
/// \file
/// A mechanism and formulations as a user outside the tree would register them.
#include "experiments/registries/registries.hpp"

namespace mbdbench {

/// \returns a pendulum under the key user_pendulum.
MechanismEntry user_mechanism();
/// \returns dense-momentum under the key user_wrong with p' too large by 1e-6 of itself.
FormulationEntry wrong_formulation();
/// \returns naudet under the key user_wrong_naudet, wrong in the same way; not among the registries below.
FormulationEntry wrong_naudet_formulation();
/// \returns dense with coordinates in reverse order under the key user_reversed: right, but of another layout.
FormulationEntry reversed_formulation();
/// \returns the suite's registries with all of these appended.
Registries registries_with_user_entries();

}  // namespace mbdbench
