#pragma once
/// \file
/// A straight line through measured points. Cost: one pass.
#include <span>

namespace mbdbench {

/// y = offset + slope x by least squares.
struct LineFit {
  double slope = 0.0;
  double offset = 0.0;
  /// Standard error of the slope if the deviations from the line are independent; 0 with fewer than three points.
  double slope_uncertainty = 0.0;
};

/// \param x, y of equal size, at least two different x
LineFit fit_line(std::span<const double> x, std::span<const double> y);

}  // namespace mbdbench
