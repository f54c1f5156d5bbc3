#pragma once
/// \file
/// Which bodies MuJoCo takes.
#include <string>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// \returns why MuJoCo would refuse the body; empty if it takes it. Its limits, measured with 3.x and 4.0: a mass and
///          principal moments of 1e-15 at least, and A + B >= C to the last bit.
std::string mjcf_refusal(const Body& body);

/// \returns the inertia with the largest moment a little smaller where it exceeds the sum of the other two by rounding,
///          which MuJoCo would refuse. \param body one that is not refused
Mat3 mjcf_inertia(const Body& body);

}  // namespace mbdbench
