#pragma once
/// \file
/// Modes of a linearised motion as stick figures over one cycle: for figures of papers as numbers, for the browser as a
/// page that moves.
#include <string>
#include <vector>

#include "experiments/drawing/stick_figure.hpp"

namespace mbdbench {

/// One mode, large enough to be seen.
struct DrawnMode {
  int number = 0;       ///< the first is 1
  std::string title;    ///< "mode 1: 0.81 Hz"
  double period = 1.0;  ///< s, of one cycle on the page
  /// Coordinates over one cycle, evenly: the first is the largest displacement, half way back that of the other side.
  std::vector<std::vector<double>> q;
};

/// \returns CSV: where every line of the figures lies, m in the plane of the view, at rest and at both ends of each
/// mode. \param rest coordinates
std::string mode_shapes_text(const Mechanism& mechanism, const std::vector<double>& rest,
                             const std::vector<DrawnMode>& modes);

/// \param subtitle below the name \returns a page that needs nothing else
std::string modes_page(const Mechanism& mechanism, const std::vector<DrawnMode>& modes, const std::string& subtitle);

}  // namespace mbdbench
