#pragma once
/// \file
/// What `dca` and `hdca` take as the pieces that they assemble: the option `leaf`.
#include <cstdint>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// Pieces of the assembly, from one body to everything.
enum class Leaf : std::uint8_t {
  body,      ///< as published
  subchain,  ///< runs of a chain, eight side by side
  subtree,   ///< sub-trees of equal form, side by side in lanes
  whole      ///< the mechanism is one piece: the recursion alone
};

/// \returns whether an option asks for what only the assembly of bodies has.
bool asks_for_bodies(StateKind rate_kind, const Parameters& options);

/// \param rate_kind velocity (dca) or momentum (hdca)
/// \returns what the options say; for leaf=auto what the mechanism is fastest with. Never depends on the machine.
Leaf chosen_leaf(const Mechanism& mechanism, StateKind rate_kind, const Parameters& options);

}  // namespace mbdbench
