#pragma once
/// \file
/// Steady motions as tests find and judge them.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "experiments/command_line/options/turning_option.hpp"
#include "experiments/equilibria/equilibrium.hpp"

namespace mbdbench::test {

/// What `equilibrium --turning` finds.
inline Equilibrium steady_motion_of(const Mechanism& mechanism, const std::vector<std::string>& turning,
                                    bool nearest = false) {
  const Registries registries = default_registries();
  TangentMotion motion(registries, mechanism, 0.0, turning_rates(mechanism, turning));
  EquilibriumOptions options;
  options.nearest = nearest;
  return find_equilibrium(motion, options);
}

/// All eigenvalues, whatever their order. Derivatives are exact: rounding of coordinates and of a simple eigenvalue.
inline void expect_eigenvalues(const Equilibrium& found, const std::vector<std::complex<double>>& expected,
                               double limit = 1e-8) {
  ASSERT_EQ(found.failure, "");
  std::vector<std::complex<double>> left(found.motion.eigenvalues.begin(), found.motion.eigenvalues.end());
  ASSERT_EQ(left.size(), expected.size());
  for (const std::complex<double> value : expected) {
    const auto nearest = std::min_element(left.begin(), left.end(),
                                          [value](const std::complex<double>& a, const std::complex<double>& b) {
                                            return std::abs(a - value) < std::abs(b - value);
                                          });
    EXPECT_LT(std::abs(*nearest - value), limit * (1.0 + std::abs(value))) << *nearest << " for " << value;
    left.erase(nearest);
  }
}

}  // namespace mbdbench::test
