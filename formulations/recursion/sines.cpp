#include "formulations/recursion/sines.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace mbdbench {
namespace {

// The three parts of pi/2 (Cody and Waite) have 33 bits each but the last: n times a part is exact for |n| < 2^20.
constexpr double kHalfPi1 = 0x1.921fb54400000p+0;
constexpr double kHalfPi2 = 0x1.0b4611a600000p-34;
constexpr double kHalfPi3 = 0x1.3198a2e037073p-69;
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
constexpr double kLargestAngle = 1e5;
// Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits.
constexpr double kRounder = 0x1.8p+52;

struct SineCosine {
  double sine;
  double cosine;
};

/// \param angle at most kLargestAngle in size
inline SineCosine sine_and_cosine(double angle) {
  const double shifted = angle * kTwoOverPi + kRounder;
  const auto quadrant = std::bit_cast<std::uint64_t>(shifted);
  const double n = shifted - kRounder;
  const double high = (angle - n * kHalfPi1) - n * kHalfPi2;
  const double r = high - n * kHalfPi3;
  const double z = r * r;
  // Minimax polynomials on [-pi/4, pi/4] as published with the Cephes library, S. L. Moshier 1989.
  const double sine_tail =
      ((((1.58962301576546568060e-10 * z - 2.50507477628578072866e-8) * z + 2.75573136213857245213e-6) * z -
        1.98412698295895385996e-4) *
           z +
       8.33333333332211858878e-3) *
          z -
      1.66666666666666307295e-1;
  const double cosine_tail =
      ((((-1.13585365213876817300e-11 * z + 2.08757008419747316778e-9) * z - 2.75573141792967388112e-7) * z +
        2.48015872888517045348e-5) *
           z -
       1.38888888888730564116e-3) *
          z +
      4.16666666666665929218e-2;
  const double sine = r + r * z * sine_tail;
  const double cosine = 1.0 - 0.5 * z + z * z * cosine_tail;
  const bool swapped = (quadrant & 1U) != 0;
  // The second bit of the quadrant (of the next one for the cosine) becomes the sign.
  const std::uint64_t sine_sign = (quadrant & 2U) << 62U;
  const std::uint64_t cosine_sign = ((quadrant + 1U) & 2U) << 62U;
  return {std::bit_cast<double>(std::bit_cast<std::uint64_t>(swapped ? cosine : sine) ^ sine_sign),
          std::bit_cast<double>(std::bit_cast<std::uint64_t>(swapped ? sine : cosine) ^ cosine_sign)};
}

}  // namespace

void sines_and_cosines(std::span<const double> angles, std::span<double> sines, std::span<double> cosines) {
  const std::size_t count = angles.size();
  const double* const angle = angles.data();
  double* const sine = sines.data();
  double* const cosine = cosines.data();
  std::uint64_t unusual = 0;
  for (std::size_t i = 0; i < count; ++i) {
    // Written so that an angle that is not a number is unusual too.
    unusual |= std::abs(angle[i]) <= kLargestAngle ? 0U : 1U;
  }
  if (unusual != 0) {
    for (std::size_t i = 0; i < count; ++i) {
      sine[i] = std::sin(angle[i]);
      cosine[i] = std::cos(angle[i]);
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const SineCosine both = sine_and_cosine(angle[i]);
    sine[i] = both.sine;
    cosine[i] = both.cosine;
  }
}

}  // namespace mbdbench
