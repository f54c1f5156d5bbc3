#pragma once
/// \file
/// What drives and couplings do, apart from one another: the reaction of a joint holds both along its axes.
#include <vector>

#include "formulations/formulation.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"

namespace mbdbench {

/// Generalised forces of prescribed motions and multipliers of couplings.
struct DriveForces {
  std::vector<double> drives;     ///< N or N m along the driven component, in the order of PrescribedMotions
  std::vector<double> couplings;  ///< mu: the coupling acts on component i with factor_i mu, factors as described
};

/// Multipliers are those that the joints without a drive tell, of least norm where they do not tell all.
/// \param kinematics positions set \param reactions at these positions
DriveForces drive_forces(const Kinematics& kinematics, const Reactions& reactions);

/// \returns names of the driven components, in the order of PrescribedMotions: "hip", "arm.2".
std::vector<std::string> drive_names(const Mechanism& mechanism);

}  // namespace mbdbench
