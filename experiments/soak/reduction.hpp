#pragma once
/// \file
/// The smallest mechanism that still shows a failure, found by leaving things out.
#include <functional>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench::soak {

/// \returns whether the failure still shows.
using StillFails = std::function<bool(const Mechanism& mechanism)>;

/// Leaves out loads, springs, markers, cut joints, motions and end bodies one after another, makes numbers plain, and
/// keeps every change after which the mechanism is valid and the failure shows, until none is left or `most_trials`
/// have been made. \returns the description of the smallest
MechanismDescription reduced(const Mechanism& mechanism, const StillFails& still_fails, int most_trials);

}  // namespace mbdbench::soak
