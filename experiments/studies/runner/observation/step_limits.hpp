#pragma once
/// \file
/// Which kind of state limits the steps of ode45.
#include <map>
#include <span>

#include "formulations/formulation.hpp"
#include "integrators/ode.hpp"

namespace mbdbench::studies {

/// Runs once more and looks at every accepted step.
/// \param times as OdeEntry::solve takes them \param options with the tolerances of the run
/// \returns the share of the accepted steps in which a component of each kind had the largest error relative to its
/// weight. \throws std::runtime_error when the run does not reach its end
std::map<StateKind, double> limited_shares(Formulation& formulation, const OdeEntry& ode45,
                                           std::span<const double> times, std::span<const double> x0,
                                           const OdeOptions& options);

}  // namespace mbdbench::studies
