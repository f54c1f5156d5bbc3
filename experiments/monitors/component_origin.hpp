#pragma once
/// \file
/// Where a state component comes from, for messages about runs that fail: joint or body, and the loads there.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// \returns "load 'push' ('3*t') acts there": the loads and springs on a joint or body, or, where there are none, on
/// the bodies of the mechanism; long lists and formulas are cut short.
std::string loads_on(const MechanismDescription& mechanism, std::string_view joint_or_body);

/// \returns "'v.hip' (joint 'hip'; load 'push' ('sqrt(1 - t)') acts there)"; a load that is not finite at (t, x) is
/// named instead of those that act there.
std::string component_origin(Formulation& formulation, std::size_t component, double t, std::span<const double> x);

}  // namespace mbdbench
