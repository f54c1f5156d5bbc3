#pragma once
/// \file
/// Exact derivatives by parameters against differences of rates in 113 bits.
#include <span>
#include <string>

#include "experiments/precise/precise_changes.hpp"
#include "experiments/verification/derivative_comparison.hpp"
#include "experiments/verification/parameter_variation.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench {

/// The columns of Formulation::parameter_jacobian times a direction of the parameters. Where links of loops become
/// longer along it, the state goes with them, so that loops stay closed and velocities on the constraints: beside these
/// each formulation has equations of its own. Derivatives by the state times that way of the state are added then.
/// \param precise of the formulation \param product the columns times all changes, and their absolute terms
/// \returns what could not be evaluated; empty when all is well
std::string compare_with_precise_parameters(Formulation& formulation, const precise::PreciseChanges& precise,
                                            std::span<const VaryingParameter> parameters, const DerivativePlace& place,
                                            const DerivativeProduct& product, const DerivativeComparison& comparison);

}  // namespace mbdbench
