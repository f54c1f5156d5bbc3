#pragma once
/// \file
/// Angles as the passes of this room take them.
#include <cmath>
#include <numbers>

namespace mbdbench {

/// \returns an angle without its whole turns, where it has so many that digits of a turn are lost and polynomials would
/// not take it; else itself.
inline double moderate_turn(double angle) {
  constexpr double kLargest = 1e3;
  return std::abs(angle) > kLargest ? std::remainder(angle, 2.0 * std::numbers::pi) : angle;
}

}  // namespace mbdbench
