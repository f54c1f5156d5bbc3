#pragma once
/// \file
/// Units of observers that depend on the joints that they speak of: "rad" of a hinge's angle, not "m, rad".
#include <string>

#include "experiments/studies/declaration/observer.hpp"
#include "experiments/studies/declaration/study.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench::studies {

/// \returns the unit on this mechanism; that of the quantity where the joints are of both kinds or not there.
std::string unit_on(const Mechanism& mechanism, const Observer& observer);

/// \returns the unit on all mechanisms of the study that have it; that of the quantity where they differ.
std::string unit_in(const Study& study, const Observer& observer);

}  // namespace mbdbench::studies
