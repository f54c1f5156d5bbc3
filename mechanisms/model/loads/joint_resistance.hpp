#pragma once
/// \file
/// The laws of friction in a joint and of its stops.
#include <algorithm>
#include <cmath>
#include <utility>

#include "mechanisms/model/description/description.hpp"

namespace mbdbench {

/// \returns the generalised force (N, N m) at the velocity v.
inline double friction_force(const JointFrictionDescription& friction, double v) {
  double level = friction.kinetic;
  if (friction.stribeck_velocity > 0.0) {
    const double ratio = v / friction.stribeck_velocity;
    level += (friction.breakaway - friction.kinetic) * std::exp(-ratio * ratio);
  }
  return -level * std::tanh(v / friction.regularisation_velocity) - friction.viscous * v;
}

/// \returns the derivative of that by v.
inline double friction_slope(const JointFrictionDescription& friction, double v) {
  double level = friction.kinetic;
  double level_slope = 0.0;
  if (friction.stribeck_velocity > 0.0) {
    const double ratio = v / friction.stribeck_velocity;
    const double extra = (friction.breakaway - friction.kinetic) * std::exp(-ratio * ratio);
    level += extra;
    level_slope = -2.0 * ratio / friction.stribeck_velocity * extra;
  }
  const double share = std::tanh(v / friction.regularisation_velocity);
  return -level_slope * share - level * (1.0 - share * share) / friction.regularisation_velocity - friction.viscous;
}

/// \returns how far q is beyond a stop: positive beyond the upper one, negative beyond the lower one, else 0.
inline double depth_in_stop(const JointStopDescription& stop, double q) {
  if (stop.upper && q > *stop.upper) {
    return q - *stop.upper;
  }
  return stop.lower && q < *stop.lower ? q - *stop.lower : 0.0;
}

/// \param stiffness 1, or 0 for what the potential leaves
/// \returns the generalised force; it points away from the stop or is zero
inline double stop_force(const JointStopDescription& stop, double q, double v, double stiffness = 1.0) {
  const double depth = depth_in_stop(stop, q);
  const double rate = depth < 0.0 ? -v : v;
  return -stop.stiffness * depth * (std::max(0.0, 1.0 + stop.damping * rate) - (1.0 - stiffness));
}

/// \returns the derivatives of that by q and by v; at the edge of a stop those outside it.
inline std::pair<double, double> stop_slopes(const JointStopDescription& stop, double q, double v) {
  const double depth = depth_in_stop(stop, q);
  const double held = depth == 0.0 ? 0.0 : std::max(0.0, 1.0 + stop.damping * (depth < 0.0 ? -v : v));
  return {-stop.stiffness * held, held > 0.0 ? -stop.stiffness * std::abs(depth) * stop.damping : 0.0};
}

/// \returns the energy stored in the stop (J).
inline double stop_energy(const JointStopDescription& stop, double q) {
  const double depth = depth_in_stop(stop, q);
  return 0.5 * stop.stiffness * depth * depth;
}

}  // namespace mbdbench
