#pragma once
/// \file
/// Builder of grids of plates joined by spherical joints: many loops, no redundant constraints.
#include <cstdint>
#include <string>

#include "mechanisms/model/description/description.hpp"

namespace mbdbench {

/// Plates in `rows` x `columns`, each joined to its neighbours by spherical joints: the bodies are the vertices of a
/// grid graph, the joints its edges.
///
/// Plate (i, j), i = 1..rows, j = 1..columns, is body bodyI_J: 1 kg, J_C = diag(1, 1, 1) kg m^2, centre of mass and
/// body frame at (j - 1, i - 1, 0) m, world axes at the start. The joint to the next plate of the row lies half-way at
/// height 0.3 (-1)^(i + j) m, the one to the next row half-way at height 0.15 (-1)^(i + j) m: were all joints in one
/// plane, the constraints would be redundant there. A spherical joint at (-1/2, 0, 0) hangs plate (1, 1) on the ground.
/// Gravity 9.81 m/s^2 along -z, at rest. Tree: the joints of the first row (`rowI_J` leads to bodyI_J within a row) and
/// those from row to row (`columnI_J`); all other row joints are cuts. Marker `tip` in the middle of the last plate. It
/// has 6 r c - 3 (r (c - 1) + c (r - 1)) - 3 degrees of freedom.
MechanismDescription spherical_grid(std::string name, std::int64_t rows, std::int64_t columns);

}  // namespace mbdbench
