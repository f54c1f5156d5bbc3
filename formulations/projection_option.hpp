#pragma once
/// \file
/// The option `projection`, which formulations with drift share, and its default.
#include "mechanisms/model/description/parameters.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// Steps are projected where max |Phi|, scaled (characteristic_scales.hpp), or max |Phi'| next to the largest rate is
/// above this: below the errors of usual tolerances, above rounding.
inline constexpr double kProjectionTolerance = 1e-10;

/// \returns the option `projection` = auto, on or off.
ParameterSpecification projection_option();

/// \returns whether states are projected on the constraints. With auto: where loops are closed by accelerations alone,
/// since near a singular position the drift of velocities decides on which branch the motion goes on; and where the
/// mechanism is mobile by geometry alone, since the rows that close its loops turn with the drift. Elsewhere, in
/// momenta, velocities keep the constraints by themselves.
/// \param drifts the formulation constrains accelerations and nothing else keeps positions and velocities closed
bool projection_is_on(const Mechanism& mechanism, const Parameters& options, bool drifts);

}  // namespace mbdbench
