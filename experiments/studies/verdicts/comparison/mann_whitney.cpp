#include "experiments/studies/verdicts/comparison/mann_whitney.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace mbdbench::studies {

MannWhitneyResult mann_whitney(std::span<const double> a, std::span<const double> b) {
  const std::size_t fewest = std::min(a.size(), b.size());
  if (fewest < kFewestRepetitions) {
    throw std::invalid_argument(fmt::format("{} repetitions, {} are needed", fewest, kFewestRepetitions));
  }
  const auto size_a = static_cast<double>(a.size());
  const auto size_b = static_cast<double>(b.size());
  double u = 0.0;
  for (const double value : b) {
    for (const double other : a) {
      u += value > other ? 1.0 : value == other ? 0.5 : 0.0;
    }
  }
  std::vector<double> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  std::sort(all.begin(), all.end());
  double ties = 0.0;
  for (auto first = all.begin(); first != all.end();) {
    const auto last = std::upper_bound(first, all.end(), *first);
    const auto count = static_cast<double>(last - first);
    ties += count * count * count - count;
    first = last;
  }
  const double size = size_a + size_b;
  const double variance = size_a * size_b / 12.0 * (size + 1.0 - ties / (size * (size - 1.0)));
  MannWhitneyResult result;
  result.effect = u / (size_a * size_b);
  if (variance > 0.0) {
    // Half a unit for the continuity of the approximation.
    const double distance = std::max(0.0, std::abs(u - size_a * size_b / 2.0) - 0.5) / std::sqrt(variance);
    result.probability = std::erfc(distance / std::sqrt(2.0));
  }
  return result;
}

}  // namespace mbdbench::studies
