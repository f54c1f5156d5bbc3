#include "formulations/recursion/sines.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "formulations/kernels/sines.hpp"

namespace mbdbench {

MBDBENCH_SWEEP void sines_and_cosines(std::span<const double> angles, std::span<double> sines,
                                      std::span<double> cosines) {
  const std::size_t count = angles.size();
  const double* const angle = angles.data();
  double* const sine = sines.data();
  double* const cosine = cosines.data();
  std::uint64_t unusual = 0;
  for (std::size_t i = 0; i < count; ++i) {
    // Written so that an angle that is not a number is unusual too.
    unusual |= std::abs(angle[i]) <= kernels::kLargestAngle ? 0U : 1U;
  }
  if (unusual != 0) {
    for (std::size_t i = 0; i < count; ++i) {
      sine[i] = std::sin(angle[i]);
      cosine[i] = std::cos(angle[i]);
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const kernels::SineCosine<double> both = kernels::sine_and_cosine(angle[i]);
    sine[i] = both.sine;
    cosine[i] = both.cosine;
  }
}

}  // namespace mbdbench
