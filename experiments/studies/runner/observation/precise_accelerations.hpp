#pragma once
/// \file
/// Accelerations of open mechanisms in 113 bits: what rounding in double precision is measured against.
#include <span>
#include <string>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench::studies {

/// \returns why precise_accelerations does not treat a mechanism: loops, prescribed motions, loads other than gravity;
/// empty where it does.
std::string refuse_precise_accelerations(const Mechanism& mechanism);

/// u' by articulated bodies about the world's origin, in numbers of 113 bits, kinematics included; shares no code with
/// any formulation. Joint frames and quaternions are made orthonormal to that precision first: what they lack in double
/// precision counts as rounding of whoever uses them. O(n), some 0.1 ms a body.
/// \param q coordinates \param u quasi-velocities \throws std::invalid_argument what refuse_precise_accelerations says
std::vector<double> precise_accelerations(const Mechanism& mechanism, std::span<const double> q,
                                          std::span<const double> u);

}  // namespace mbdbench::studies
