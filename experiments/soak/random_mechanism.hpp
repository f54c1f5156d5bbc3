#pragma once
/// \file
/// Valid mechanisms for the soak: the generators of the catalogue, then changes that keep a mechanism valid and make it
/// unlike what they draw.
#include <cstdint>
#include <span>

#include "mechanisms/catalogue/catalogue.hpp"

namespace mbdbench::soak {

/// Open, closed, driven, planar, free, light next to heavy, fast: 1 to 14 bodies. \returns the same for the same seed.
Mechanism draw_mechanism(std::span<const MechanismEntry> registry, std::int64_t seed);

}  // namespace mbdbench::soak
