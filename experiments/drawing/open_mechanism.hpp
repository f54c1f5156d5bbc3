#pragma once
/// \file
/// A mechanism whose loops do not close, drawn as its file gives it: a picture shows best which length or angle is
/// wrong.
#include <optional>
#include <string>

#include "mechanisms/model/description/description.hpp"

namespace mbdbench {

/// A picture of what is open.
struct OpenDrawing {
  std::string svg;
  std::string gap;  ///< "joint 'crank_pin' is open by 0.25 m"
};

/// Draws the tree at its given coordinates, and every cut joint twice, on each of its bodies, with a red line between
/// the two where they are apart. Loads, couplings and prescribed motions are left out: they open and close nothing.
/// \returns nothing where every cut joint is closed, or where the tree alone is no mechanism either
std::optional<OpenDrawing> open_drawing(const MechanismDescription& description);

}  // namespace mbdbench
