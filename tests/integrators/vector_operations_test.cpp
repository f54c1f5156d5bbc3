/// \file
/// The loops over components against plain arithmetic, at every length that vector registers leave a rest of.
#include "integrators/vector_operations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "integrators/error_norm.hpp"

namespace mbdbench::test {
namespace {

constexpr std::size_t kLongest = 70;
constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

std::vector<double> random_values(std::size_t size, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(size);
  std::generate(values.begin(), values.end(), [&] { return normal(engine); });
  return values;
}

TEST(VectorOperations, CombineAndAdvanceEveryLength) {
  constexpr std::array kWeights = {0.5, -2.0, 1.0 / 3.0};
  for (std::size_t size = 1; size <= kLongest; ++size) {
    const std::vector<double> x = random_values(size, 1);
    const std::vector<double> k1 = random_values(size, 2);
    const std::vector<double> k2 = random_values(size, 3);
    const std::vector<double> k3 = random_values(size, 4);
    std::vector<double> sum(size);
    std::vector<double> moved(size);
    const Derivatives<3> k = {k1.data(), k2.data(), k3.data()};
    combine(size, sum.data(), 0.1, kWeights, k);
    advance(size, moved.data(), x.data(), 0.1, kWeights, k);
    for (std::size_t i = 0; i < size; ++i) {
      const double expected = 0.1 * (0.5 * k1[i] - 2.0 * k2[i] + k3[i] / 3.0);
      // Four roundings of terms of this size.
      const double rounding = 1e-15 * (std::abs(x[i]) + std::abs(k1[i]) + std::abs(k2[i]) + std::abs(k3[i]));
      EXPECT_NEAR(sum[i], expected, rounding) << size;
      EXPECT_NEAR(moved[i], x[i] + expected, rounding) << size;
    }
  }
}

TEST(VectorOperations, SeesWhatIsNotFiniteAnywhere) {
  for (std::size_t size = 1; size <= kLongest; ++size) {
    std::vector<double> values(size, std::numeric_limits<double>::max());
    values[size / 2] = std::numeric_limits<double>::denorm_min();
    EXPECT_TRUE(all_finite(values)) << size;
    for (std::size_t i = 0; i < size; ++i) {
      for (const double bad : {kUndefined, -kUndefined, kUnbounded, -kUnbounded}) {
        std::vector<double> spoilt = values;
        spoilt[i] = bad;
        EXPECT_FALSE(all_finite(spoilt)) << size << " " << i << " " << bad;
      }
    }
  }
}

TEST(ErrorNorm, IsTheLargestRatioAtEveryLength) {
  for (std::size_t size = 1; size <= kLongest; ++size) {
    OdeOptions options;
    options.relative_tolerance = 1e-3;
    options.absolute_tolerance = random_values(size, 5);
    for (double& tolerance : options.absolute_tolerance) {
      tolerance = 1e-3 * std::abs(tolerance) + 1e-9;
    }
    std::vector<double> error = random_values(size, 6);
    const std::vector<double> a = random_values(size, 7);
    const std::vector<double> b = random_values(size, 8);
    double expected = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
      expected = std::max(expected, std::abs(error[i]) / std::max({std::abs(a[i]), std::abs(b[i]),
                                                                   options.absolute_tolerance[i] / 1e-3}));
    }
    EXPECT_EQ(ErrorNorm(options, size).relative(error, a, b), expected) << size;
    OdeOptions masked = options;
    masked.error_mask.assign(size, true);
    masked.error_mask.back() = size == 1;
    EXPECT_LE(ErrorNorm(masked, size).relative(error, a, b), expected) << size;
    for (const double bad : {kUndefined, -kUndefined, kUnbounded}) {
      error[size / 2] = bad;
      EXPECT_EQ(ErrorNorm(options, size).relative(error, a, b), kUnbounded) << size << " " << bad;
    }
  }
}

}  // namespace
}  // namespace mbdbench::test
