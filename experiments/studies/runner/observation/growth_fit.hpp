#pragma once
/// \file
/// How fast an error grows.
#include <optional>

namespace mbdbench::studies {

/// Fits y = c t^exponent to the running maximum of |value| for t > 1 s, by least squares of the logarithms: before,
/// start-up and not growth decides.
class GrowthFit {
 public:
  void add(double t, double value);
  /// \returns the exponent; nothing when there is nothing to fit.
  [[nodiscard]] std::optional<double> exponent() const;

 private:
  double largest_ = 0.0;
  double count_ = 0.0;
  double sum_x_ = 0.0;
  double sum_y_ = 0.0;
  double sum_xx_ = 0.0;
  double sum_xy_ = 0.0;
};

}  // namespace mbdbench::studies
