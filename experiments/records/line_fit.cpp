#include "experiments/records/line_fit.hpp"

#include <cmath>
#include <cstddef>

namespace mbdbench {

LineFit fit_line(std::span<const double> x, std::span<const double> y) {
  const double count = static_cast<double>(x.size());
  double mean_x = 0.0;
  double mean_y = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / count;
    mean_y += y[i] / count;
  }
  double xx = 0.0;
  double xy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  LineFit fit;
  fit.slope = xy / xx;
  fit.offset = mean_y - fit.slope * mean_x;
  if (x.size() > 2) {
    double residual = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double deviation = y[i] - fit.offset - fit.slope * x[i];
      residual += deviation * deviation;
    }
    fit.slope_uncertainty = std::sqrt(residual / (count - 2.0) / xx);
  }
  return fit;
}

}  // namespace mbdbench
