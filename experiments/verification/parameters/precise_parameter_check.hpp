#pragma once
/// \file
/// Exact derivatives by parameters against differences of rates in 113 bits.
#include <span>
#include <string>

#include "experiments/precise/precise_changes.hpp"
#include "experiments/verification/derivatives/derivative_comparison.hpp"
#include "experiments/verification/reference/parameter_variation.hpp"
#include "experiments/verification/reference/verification_states.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench {

/// How a comparison with 113 bits went.
struct PreciseParameterComparison {
  std::string failure;    ///< what could not be evaluated; empty when all is well
  bool compared = false;  ///< not where x' bends, and has no derivative
  std::string no_answer;  ///< where the reference failed: at which state, and why
};

/// The columns of Formulation::parameter_jacobian times a direction of the parameters. Where links of loops become
/// longer along it, the state goes with them, so that loops stay closed and velocities on the constraints: beside these
/// each formulation has equations of its own. Derivatives by the state times that way of the state are added then.
/// States that are functions of those of the tree's joints go with the lengths and masses, too.
/// \param precise of the formulation \param state that place.x packs \param product the columns times all changes, and
/// their absolute terms
PreciseParameterComparison compare_with_precise_parameters(Formulation& formulation,
                                                           const precise::PreciseChanges& precise,
                                                           std::span<const VaryingParameter> parameters,
                                                           const VerificationState& state, const DerivativePlace& place,
                                                           const DerivativeProduct& product,
                                                           const DerivativeComparison& comparison);

}  // namespace mbdbench
