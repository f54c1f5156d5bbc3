#pragma once
/// \file
/// The option `kernel` of recursions that have a short path for revolute trees beside a general one.
#include <span>

#include "mechanisms/model/mechanism.hpp"
#include "mechanisms/model/parameters.hpp"

namespace mbdbench {

/// \returns the option `kernel` = auto or general.
std::span<const ParameterSpecification> kernel_options();

/// \returns whether to recur in link frames: `auto` on a tree of revolute joints under gravity alone.
bool use_link_frames(const Mechanism& mechanism, const Parameters& options);

}  // namespace mbdbench
