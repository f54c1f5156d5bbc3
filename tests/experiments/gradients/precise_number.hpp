#pragma once
// A number of 113 bits, which kernels take in the place of a pack.
#ifdef __SIZEOF_FLOAT128__  // compilers for other processors have no such number

#include "formulations/batches/lane_positions.hpp"

namespace mbdbench {

/// A number of 113 bits.
struct Precise {
  using Bits = __float128;
  Bits value;
  Precise() = default;
  Precise(double number) : value(static_cast<Bits>(number)) {}
  explicit Precise(Bits number, int /*exactly*/) : value(number) {}
  Precise& operator+=(const Precise& other) { return *this = *this + other; }
  Precise& operator-=(const Precise& other) { return *this = *this - other; }
  friend Precise operator+(const Precise& a, const Precise& b) { return Precise(a.value + b.value, 0); }
  friend Precise operator-(const Precise& a, const Precise& b) { return Precise(a.value - b.value, 0); }
  friend Precise operator-(const Precise& a) { return Precise(-a.value, 0); }
  friend Precise operator*(const Precise& a, const Precise& b) { return Precise(a.value * b.value, 0); }
  friend Precise operator/(const Precise& a, const Precise& b) { return Precise(a.value / b.value, 0); }
  friend Precise smaller(const Precise& a, const Precise& b) { return a.value < b.value ? a : b; }
  /// The sums of both series: angles here are a few rad, which costs some digits of 34.
  friend kernels::SineCosine<Precise> sine_and_cosine(const Precise& a) {
    Bits sine = static_cast<Bits>(0.0);
    Bits cosine = static_cast<Bits>(0.0);
    Bits term = static_cast<Bits>(1.0);
    for (int n = 0; n < 80; ++n) {
      ((n % 2 == 0) ? cosine : sine) += (n % 4 < 2) ? term : -term;
      term *= a.value / static_cast<Bits>(n + 1);
    }
    return {Precise(sine, 0), Precise(cosine, 0)};
  }
};

}  // namespace mbdbench

#endif
