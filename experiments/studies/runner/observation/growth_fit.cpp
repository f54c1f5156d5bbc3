#include "experiments/studies/runner/observation/growth_fit.hpp"

#include <algorithm>
#include <cmath>

namespace mbdbench::studies {

void GrowthFit::add(double t, double value) {
  constexpr double kFitFrom = 1.0;  // s
  largest_ = std::max(largest_, std::abs(value));
  if (t <= kFitFrom || largest_ == 0.0) {
    return;
  }
  const double x = std::log(t);
  const double y = std::log(largest_);
  count_ += 1.0;
  sum_x_ += x;
  sum_y_ += y;
  sum_xx_ += x * x;
  sum_xy_ += x * y;
}

std::optional<double> GrowthFit::exponent() const {
  const double determinant = count_ * sum_xx_ - sum_x_ * sum_x_;
  if (count_ < 3.0 || determinant <= 0.0) {
    return std::nullopt;
  }
  return (count_ * sum_xy_ - sum_x_ * sum_y_) / determinant;
}

}  // namespace mbdbench::studies
