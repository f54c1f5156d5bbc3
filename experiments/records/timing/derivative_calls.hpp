#pragma once
/// \file
/// Calls of a formulation's exact derivatives, to be timed.
#include <vector>

#include "experiments/records/timing/timed_turns.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench {

/// \returns a call of all derivatives of x' by x. \param formulation must outlive it
TimedCall jacobian_call(Formulation& formulation, double t, std::vector<double> x);

/// \returns a call of the derivatives times a direction in which every component changes alike.
TimedCall direction_call(Formulation& formulation, double t, std::vector<double> x);

/// \returns a call of weights times the derivatives, the weights of all components alike.
TimedCall weights_call(Formulation& formulation, double t, std::vector<double> x);

}  // namespace mbdbench
