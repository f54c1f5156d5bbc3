#pragma once
/// \file
/// Closes the loops of a mechanism with cut joints at the start, with a dense Phi_q: rows times columns memory.
#include <vector>

#include "mechanisms/model/start/initial_state.hpp"

namespace mbdbench {

/// Gauss-Newton on Phi(q, 0) = 0 and the minimum-norm change of u for Phi_q u + Phi_t = 0, prescribed motions included.
/// \param state the given state; receives the consistent one
/// \throws ModelError naming the joint that stays open
void close_loops(const Mechanism& mechanism, InitialState& state);

/// Components of u, ascending, of which closing may change the coordinates and the velocities.
struct ChangeableComponents {
  std::vector<int> positions;
  std::vector<int> velocities;
};

/// \returns those of the joints that may be changed (motion_start.hpp).
std::vector<int> changeable_components(const Mechanism& mechanism);

/// The same with components of one's own choice.
void close_loops(const Mechanism& mechanism, InitialState& state, ChangeableComponents changeable);

}  // namespace mbdbench
