#include "experiments/malczyk2008/crossover.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace mbdbench::malczyk2008 {

std::vector<LoopValue> loop_values(const std::vector<Record>& timings, const char* formulation,
                                   const std::string& quantity) {
  constexpr std::string_view kLoop = "loop:";
  std::vector<LoopValue> speedups;
  for (const Record& record : timings) {
    if (record.formulation == formulation && record.quantity == quantity && record.mechanism.starts_with(kLoop) &&
        record.telling_value()) {
      LoopValue entry{0, *record.value};
      const std::string digits = record.mechanism.substr(kLoop.size());
      std::from_chars(digits.data(), digits.data() + digits.size(), entry.joints);
      speedups.push_back(entry);
    }
  }
  std::sort(speedups.begin(), speedups.end(),
            [](const LoopValue& a, const LoopValue& b) { return a.joints < b.joints; });
  return speedups;
}

std::optional<double> crossover(const std::vector<LoopValue>& speedups) {
  for (std::size_t i = speedups.size(); i-- > 1;) {
    const LoopValue& below = speedups[i - 1];
    const LoopValue& above = speedups[i];
    if (above.value <= 1.0) {
      return std::nullopt;
    }
    if (below.value <= 1.0) {
      const double part = (1.0 - below.value) / (above.value - below.value);
      return below.joints * std::pow(static_cast<double>(above.joints) / below.joints, part);
    }
  }
  return std::nullopt;
}

}  // namespace mbdbench::malczyk2008
