/// \file
/// The next step and order of the differentiation formulas.
#include "integrators/matlab/ndf_step_control.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mbdbench::test {
namespace {

constexpr double kTolerance = 1e-3;

TEST(NdfStepControl, FailureCutsByTheEstimate) {
  const StepAndOrder next = after_first_failure({0.5, 1}, {.same = 4e-3}, kTolerance);
  EXPECT_EQ(next.order, 1);
  EXPECT_DOUBLE_EQ(next.step, 0.5 * 0.833 * 0.5);
  EXPECT_DOUBLE_EQ(after_first_failure({0.5, 1}, {.same = 1e9}, kTolerance).step, 0.05) << "a tenth at most";
}

TEST(NdfStepControl, FailureLowersTheOrderWhereThatAllowsMore) {
  const StepAndOrder next = after_first_failure({0.5, 2}, {.same = 1.0, .lower = 4e-3}, kTolerance);
  EXPECT_EQ(next.order, 1);
  EXPECT_DOUBLE_EQ(next.step, 0.5 * 0.769 * 0.5);
  const StepAndOrder capped = after_first_failure({0.5, 2}, {.same = 1.0, .lower = 1e-9}, kTolerance);
  EXPECT_EQ(capped.step, 0.5) << "a failed step does not grow";
}

TEST(NdfStepControl, SuccessTakesTheOrderWithTheLargestStep) {
  const double error = 1e-6;
  const StepAndOrder same = after_success({1.0, 2}, {.same = error}, kTolerance);
  EXPECT_EQ(same.order, 2);
  EXPECT_DOUBLE_EQ(same.step, 10.0 / 1.2);
  const StepAndOrder lower = after_success({1.0, 2}, {.same = error, .lower = 1e-7}, kTolerance);
  EXPECT_EQ(lower.order, 1);
  EXPECT_DOUBLE_EQ(lower.step, 10.0) << "tenfold at most";
  const StepAndOrder higher = after_success({1.0, 2}, {.same = 1e-4, .lower = 1e-4, .higher = 1e-6}, kTolerance);
  EXPECT_EQ(higher.order, 3);
  EXPECT_DOUBLE_EQ(higher.step, 1.0 / (1.4 * std::pow(1e-3, 0.25)));
}

TEST(NdfStepControl, SuccessWithoutGainChangesNothing) {
  const StepAndOrder next = after_success({1.0, 3}, {.same = 9e-4, .lower = 9e-4, .higher = 9e-4}, kTolerance);
  EXPECT_EQ(next.step, 1.0);
  EXPECT_EQ(next.order, 3);
}

}  // namespace
}  // namespace mbdbench::test
