#pragma once
/// \file
/// Initial coordinates and velocities that a user sets by name, in place of the mechanism's own.
#include <span>
#include <string>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// A mechanism with other initial values, and what followed them.
struct ChangedStart {
  Mechanism mechanism;
  std::vector<MovedValue> moved;  ///< also what the mechanism's own start had moved, from where it was typed
};

/// Closes the loops with the values that are set held: first by the other joints that are marked `dependent`, or all
/// others where none is; then by all others; then, for values that are typed with few digits, by all joints.
/// \param assignments "q.joint1=0.5", "v.joint3=1"; components of joints with several: "q.hip.2=0.1", counted from 1.
/// The names are those of trajectory columns.
/// \throws std::invalid_argument for a name that does not exist (listing those that do), and where the loops close only
/// with a set value off by more than a hundredth (rad, of the mechanism's length, of its largest rate); ModelError from
/// the mechanism
ChangedStart with_initial_values(Mechanism mechanism, std::span<const std::string> assignments);

/// \returns what moved, as text for the user; empty where nothing did.
std::string moved_text(const ChangedStart& start);

}  // namespace mbdbench
