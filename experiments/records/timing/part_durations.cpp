#include "experiments/records/timing/part_durations.hpp"

#include <algorithm>
#include <cmath>

namespace mbdbench {
namespace {

constexpr double kUnitsPerSecond = 1000.0;

std::uint64_t units(double seconds) {
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(kUnitsPerSecond * seconds)));
}

}  // namespace

ExpectedTimes expected_times(const std::map<std::string, double>& last, const std::vector<DeclaredPart>& parts) {
  double known_seconds = 0.0;
  double known_weight = 0.0;
  for (const DeclaredPart& part : parts) {
    if (const auto found = last.find(part.name); found != last.end()) {
      known_seconds += found->second;
      known_weight += static_cast<double>(part.weight);
    }
  }
  ExpectedTimes expected;
  expected.weights.reserve(parts.size());
  for (const DeclaredPart& part : parts) {
    const auto found = last.find(part.name);
    if (found != last.end()) {
      expected.weights.push_back(units(found->second));
    } else if (known_weight > 0.0) {
      expected.weights.push_back(units(known_seconds / known_weight * static_cast<double>(part.weight)));
    } else {
      expected.weights.push_back(part.weight);
    }
    expected.total += expected.weights.back();
  }
  expected.seconds = known_weight > 0.0 ? static_cast<double>(expected.total) / kUnitsPerSecond : 0.0;
  return expected;
}

}  // namespace mbdbench
