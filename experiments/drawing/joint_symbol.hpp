#pragma once
/// \file
/// The symbols of joints, ground, centres of mass, markers, springs and dampers, about the origin; a joint's axis
/// points to the right.
#include <string>

#include "experiments/drawing/stick_figure.hpp"

namespace mbdbench {

/// Half the height of a symbol where there is room, pixels.
inline constexpr double kLargestSymbol = 5.0;

/// \param size half the height, pixels \returns SVG elements
std::string joint_symbol(const FigureSymbol& symbol, double size);

/// \returns "ground", "centre of mass", "marker", "spring", "damper", "joint".
std::string symbol_meaning(SymbolKind kind);

}  // namespace mbdbench
