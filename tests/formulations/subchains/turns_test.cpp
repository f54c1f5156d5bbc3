// The smallest of pivots and lanes (formulations/kernels/chains/turns.hpp): what is not a number must not be forgotten,
// wherever it stands.
#include "formulations/kernels/chains/turns.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "formulations/kernels/pack.hpp"

namespace mbdbench::kernels {
namespace {

constexpr int kLanes = 8;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Eight = Pack<kLanes, 2>;

TEST(turns, smallest_lane_is_not_a_number_wherever_that_stands) {
  alignas(Eight) double lanes[kLanes] = {3.0, 2.0, 5.0, -1.0, 7.0, 4.0, 6.0, 8.0};
  const Eight& pack = *reinterpret_cast<const Eight*>(lanes);
  static_assert(sizeof(pack) == sizeof(lanes));
  EXPECT_EQ(smallest_lane(pack), -1.0);
  for (double& lane : lanes) {
    const double number = lane;
    lane = kNan;
    EXPECT_TRUE(std::isnan(smallest_lane(pack))) << "in place of " << number;
    lane = number;
  }
}

TEST(turns, smaller_of_two_is_what_is_not_a_number) {
  EXPECT_EQ(smaller_or_nan(1.0, 2.0), 1.0);
  EXPECT_EQ(smaller_or_nan(2.0, 1.0), 1.0);
  EXPECT_TRUE(std::isnan(smaller_or_nan(kNan, 1.0)));
  EXPECT_TRUE(std::isnan(smaller_or_nan(1.0, kNan)));
}

}  // namespace
}  // namespace mbdbench::kernels
