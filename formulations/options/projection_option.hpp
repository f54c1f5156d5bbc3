#pragma once
/// \file
/// The option `projection`, which formulations with drift share, and its default.
#include "mechanisms/model/description/parameters.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// \returns above which max |Phi|, scaled (characteristic_scales.hpp), and max |Phi'| next to the largest rate steps
/// are projected: 1e-12, in large mechanisms sixteen times what rounding leaves of sums over all bodies.
///
/// Not only below the errors of usual tolerances: next to a singular position where branches cross, |Phi| joins them to
/// a curve that passes the position at sqrt(|Phi|) and turns from one branch into the other. A step control that comes
/// upon it follows it; with 1e-10 five of 1200 runs of `sarrus` did.
double projection_tolerance(const Mechanism& mechanism);

/// \returns the option `projection` = auto, on, velocities or off.
ParameterSpecification projection_option();

/// \returns whether velocities are projected on the constraints in the right-hand side. With auto: where loops are
/// closed by accelerations alone, since near a singular position the drift of velocities decides on which branch the
/// motion goes on; and where the mechanism is mobile by geometry alone, since the rows that close its loops turn with
/// the drift. Elsewhere, in momenta, velocities keep the constraints by themselves. \param drifts the formulation
/// constrains accelerations and nothing else keeps positions and velocities closed
bool projection_is_on(const Mechanism& mechanism, const Parameters& options, bool drifts);

/// \returns whether states after accepted steps are: as velocities, but not with projection=velocities, which leaves
/// steps to the integrator (gradients of runs differentiate those).
bool steps_are_projected(const Mechanism& mechanism, const Parameters& options, bool drifts);

}  // namespace mbdbench
