#pragma once
/// \file
/// The option `kernel` of recursions that have a short path in link frames beside one in world axes.
#include <span>

#include "mechanisms/model/description/parameters.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// \returns the option `kernel` = auto or general.
std::span<const ParameterSpecification> kernel_options();

/// \returns whether to recur in link frames where that is possible: not where the tree has a screw.
bool use_link_frames(const Mechanism& mechanism, const Parameters& options);

}  // namespace mbdbench
