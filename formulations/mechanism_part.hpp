#pragma once
/// \file
/// Some bodies of a mechanism as a mechanism of their own: what one of several processes evaluates.
#include <functional>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// The bodies, their tree joints, and the loads on both. Joints to bodies that are not held start at the ground.
/// Springs to bodies that are not held are left out, as are cut joints and couplings; markers are those of the bodies.
/// \param holds told the index of a body
MechanismDescription mechanism_part(const Mechanism& whole, const std::function<bool(int)>& holds);

}  // namespace mbdbench
