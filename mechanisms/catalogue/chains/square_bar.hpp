#pragma once
/// \file
/// The bar of the overconstrained mechanisms: 1 kg, square section of 0.1 m, uniform.
#include "mechanisms/model/description/description.hpp"

namespace mbdbench {

/// \returns the inertia about the centre of mass of a bar of that length along its x axis, kg m^2.
inline Mat3 square_bar_inertia(double length) {
  constexpr double kMass = 1.0;
  constexpr double kWidthSquared = 0.01;
  const double across = kMass * (length * length + kWidthSquared) / 12.0;
  return Vec3(kMass * 2.0 * kWidthSquared / 12.0, across, across).asDiagonal();
}

}  // namespace mbdbench
