#pragma once
/// \file
/// A number with its derivatives along W directions: what kernels need of a number, so that the recursions which take
/// it give exact derivatives of what they compute (forward differentiation).
#include "formulations/kernels/sines.hpp"

namespace mbdbench::kernels {

// Uninitialised like a double: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// value + sum of slope[i] d_i, where products d_i d_j vanish.
template <int W>
struct Directed {
  using Slope = Pack<W, W>;
  Slope slope;
  double value;

  Directed() = default;
  MBDBENCH_KERNEL Directed(double constant) : slope(0.0), value(constant) {}  // implicit: as a pack
  MBDBENCH_KERNEL Directed(const Slope& s, double v) : slope(s), value(v) {}
  MBDBENCH_KERNEL Directed& operator+=(const Directed& other) {
    slope += other.slope;
    value += other.value;
    return *this;
  }
  MBDBENCH_KERNEL Directed& operator-=(const Directed& other) {
    slope -= other.slope;
    value -= other.value;
    return *this;
  }
  friend MBDBENCH_KERNEL Directed operator+(const Directed& a, const Directed& b) {
    return {a.slope + b.slope, a.value + b.value};
  }
  friend MBDBENCH_KERNEL Directed operator-(const Directed& a, const Directed& b) {
    return {a.slope - b.slope, a.value - b.value};
  }
  friend MBDBENCH_KERNEL Directed operator-(const Directed& a) { return {-a.slope, -a.value}; }
  friend MBDBENCH_KERNEL Directed operator*(const Directed& a, const Directed& b) {
    return {Slope(a.value) * b.slope + Slope(b.value) * a.slope, a.value * b.value};
  }
  friend MBDBENCH_KERNEL Directed operator/(const Directed& a, const Directed& b) {
    const double inverse = 1.0 / b.value;
    const double quotient = a.value / b.value;
    return {(a.slope - Slope(quotient) * b.slope) * Slope(inverse), quotient};
  }
  /// \returns the one with the smaller value; b where that of a is not a number.
  friend MBDBENCH_KERNEL Directed smaller(const Directed& a, const Directed& b) { return a.value < b.value ? a : b; }
};

template <int W>
MBDBENCH_KERNEL SineCosine<Directed<W>> sine_and_cosine(const Directed<W>& angle) {
  using Slope = typename Directed<W>::Slope;
  const SineCosine<double> both = sine_and_cosine(angle.value);
  return {{Slope(both.cosine) * angle.slope, both.sine}, {Slope(0.0) - Slope(both.sine) * angle.slope, both.cosine}};
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::kernels
