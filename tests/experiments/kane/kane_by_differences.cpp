#include "tests/experiments/kane/kane_by_differences.hpp"

#include "tests/experiments/kane/kane_equations.hpp"

namespace mbdbench {

template <>
struct KaneSteps<long double> {
  static constexpr long double kDifference = 4e-3L;
  static constexpr long double kZero = 1e-11L;
};

KaneAccelerations accelerations_by_differences(const Mechanism& mechanism) {
  const auto [rates, without_loops] = Kane<long double>(mechanism).accelerations();
  return {rates.cast<double>(), static_cast<double>(without_loops)};
}

}  // namespace mbdbench
