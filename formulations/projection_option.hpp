#pragma once
/// \file
/// The option `projection`, which formulations with drift share, and its default.
#include "mechanisms/model/mechanism.hpp"
#include "mechanisms/model/parameters.hpp"

namespace mbdbench {

/// Steps are projected where max |Phi| or max |Phi'| is above this: below the errors of usual tolerances, above
/// rounding.
inline constexpr double kProjectionTolerance = 1e-10;

/// \returns the option `projection` = auto, on or off.
ParameterSpecification projection_option();

/// \returns whether states are projected on the constraints. With auto: where the mechanism is mobile by geometry
/// alone. There drift feeds on itself, since the rows that close the loops turn with it; elsewhere it is what the
/// papers' figures show.
bool projection_is_on(const Mechanism& mechanism, const Parameters& options);

}  // namespace mbdbench
