#pragma once
/// \file
/// sin and cos of moderate angles by polynomials, for numbers and packs alike, without branches.
///
/// Reduction by pi/2 in three parts (Cody and Waite), minimax polynomials on [-pi/4, pi/4] as published with the Cephes
/// library, S. L. Moshier 1989. Error about one unit in the last place (sines in link_tree_test, packs in
/// subchain_test).
#include "formulations/kernels/pack.hpp"

namespace mbdbench::kernels {

// Packs and rows start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// Angles up to here may be given; beyond, the parts of pi/2 times the number of quadrants would not be exact.
inline constexpr double kLargestAngle = 1e5;

template <typename T>
struct SineCosine {
  T sine, cosine;
};

/// One register of angles. Real: double or a compiler vector of doubles; Bits: integers of the same shape.
template <typename Bits, typename Real>
MBDBENCH_KERNEL void sine_and_cosine_of_register(const Real& angle, Real& sine_out, Real& cosine_out) {
  // The three parts of pi/2 have 33 bits each but the last: n times a part is exact for |n| < 2^20.
  constexpr double kHalfPi1 = 0x1.921fb54400000p+0;
  constexpr double kHalfPi2 = 0x1.0b4611a600000p-34;
  constexpr double kHalfPi3 = 0x1.3198a2e037073p-69;
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  constexpr double kRounder = 0x1.8p+52;  // adding it rounds to an integer and leaves that in the low bits
  const Real shifted = angle * kTwoOverPi + kRounder;
  const Bits quadrant = __builtin_bit_cast(Bits, shifted);
  const Real n = shifted - kRounder;
  const Real high = (angle - n * kHalfPi1) - n * kHalfPi2;
  const Real r = high - n * kHalfPi3;
  const Real z = r * r;
  const Real sine_tail =
      ((((1.58962301576546568060e-10 * z - 2.50507477628578072866e-8) * z + 2.75573136213857245213e-6) * z -
        1.98412698295895385996e-4) *
           z +
       8.33333333332211858878e-3) *
          z -
      1.66666666666666307295e-1;
  const Real cosine_tail =
      ((((-1.13585365213876817300e-11 * z + 2.08757008419747316778e-9) * z - 2.75573141792967388112e-7) * z +
        2.48015872888517045348e-5) *
           z -
       1.38888888888730564116e-3) *
          z +
      4.16666666666665929218e-2;
  const Bits sine = __builtin_bit_cast(Bits, r + r * z * sine_tail);
  const Bits cosine = __builtin_bit_cast(Bits, 1.0 - 0.5 * z + z * z * cosine_tail);
  const Bits swapped = -(quadrant & 1);  // all ones in odd quadrants
  const Bits difference = (sine ^ cosine) & swapped;
  // The second bit of the quadrant (of the next one for the cosine) becomes the sign.
  sine_out = __builtin_bit_cast(Real, sine ^ difference ^ ((quadrant & 2) << 62));
  cosine_out = __builtin_bit_cast(Real, cosine ^ difference ^ (((quadrant + 1) & 2) << 62));
}

/// \param angle at most kLargestAngle in size
template <int W>
MBDBENCH_KERNEL SineCosine<Pack<W, W>> sine_and_cosine(const Pack<W, W>& angle) {
  SineCosine<Pack<W, W>> result;
  sine_and_cosine_of_register<typename Register<W>::Bits>(angle.value, result.sine.value, result.cosine.value);
  return result;
}
template <int N, int W>
MBDBENCH_KERNEL SineCosine<Pack<N, W>> sine_and_cosine(const Pack<N, W>& angle) {
  const SineCosine<Pack<N / 2, W>> low = sine_and_cosine(angle.low);
  const SineCosine<Pack<N / 2, W>> high = sine_and_cosine(angle.high);
  return {{low.sine, high.sine}, {low.cosine, high.cosine}};
}
MBDBENCH_KERNEL SineCosine<double> sine_and_cosine(double angle) {
  SineCosine<double> result{};
  sine_and_cosine_of_register<std::int64_t>(angle, result.sine, result.cosine);
  return result;
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::kernels
