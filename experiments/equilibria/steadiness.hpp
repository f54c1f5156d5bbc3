#pragma once
/// \file
/// Whether a motion is steady: its velocities stay as they are, whatever the coordinates that go on have become.
#include <string>

#include "experiments/equilibria/tangent_motion.hpp"

namespace mbdbench {

/// Why there is none where velocities_stay() is false.
inline constexpr const char* kTied = "the constraints do not let all velocities stay as they are";

/// What a motion at constant velocities does later on.
struct Steadiness {
  std::string failure;    ///< why it does not go on so; empty: it does
  bool periodic = false;  ///< disturbances do not meet the same equations later on
};

/// Looks where the motion is and at eight later places, up to some five turns of what is fastest and of what is
/// slowest. \param tolerance of accelerations, 1/s^2 in units of the mechanism \throws std::runtime_error where
/// accelerations cannot be evaluated
Steadiness steadiness(TangentMotion& motion, double tolerance);

}  // namespace mbdbench
