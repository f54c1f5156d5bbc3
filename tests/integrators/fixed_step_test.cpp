/// \file
/// What the fixed-step methods share: times, counts, the last step; and rk2 against a step by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "integrators/runge_kutta/rk2.hpp"
#include "tests/integrators/every_method.hpp"
#include "tests/integrators/problems.hpp"

namespace mbdbench::test {
namespace {

std::vector<OdeEntry> fixed_step_methods() {
  std::vector<OdeEntry> entries;
  for (const OdeEntry& entry : integrator_registry()) {
    if (!entry.adaptive) {
      entries.push_back(entry);
    }
  }
  return entries;
}

class EveryFixedStepMethod : public testing::TestWithParam<OdeEntry> {};

RecordingSink steps_of(const OdeEntry& entry, const std::vector<double>& tspan, double fixed_step) {
  OdeOptions options;
  options.fixed_step = fixed_step;
  RecordingSink sink;
  const std::vector<double> x0 = {1.0, 0.0};
  const OdeResult result = entry.solve(harmonic_oscillator(), tspan, x0, options, sink);
  EXPECT_EQ(result.status, OdeStatus::ok) << result.message;
  EXPECT_EQ(result.t, tspan.back());
  EXPECT_EQ(result.first_step, std::fmin(fixed_step, std::abs(tspan.back() - tspan.front())));
  EXPECT_EQ(result.statistics.nfailed, 0u);
  return sink;
}

TEST_P(EveryFixedStepMethod, TimesAreMultiplesOfTheStep) {
  const RecordingSink sink = steps_of(GetParam(), {0.0, 100.0}, 0.1);
  ASSERT_EQ(sink.steps.size(), 1000u) << "a thousand sums of 0.1 are not 100; a remainder of rounding is not a step";
  for (std::size_t k = 0; k + 1 < sink.steps.size(); ++k) {
    EXPECT_EQ(sink.steps[k].t, static_cast<double>(k + 1) * 0.1);
  }
}

TEST_P(EveryFixedStepMethod, LastStepIsWhatRemains) {
  const RecordingSink sink = steps_of(GetParam(), {1.0, 0.0}, 0.375);
  ASSERT_EQ(sink.steps.size(), 3u);
  EXPECT_EQ(sink.steps[0].t, 0.625);
  EXPECT_EQ(sink.steps[1].t, 0.25);
  EXPECT_EQ(sink.steps[2].t, 0.0);
  EXPECT_EQ(steps_of(GetParam(), {0.0, 0.25}, 7.0).steps.size(), 1u) << "a step beyond the interval is the interval";
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryFixedStepMethod, testing::ValuesIn(fixed_step_methods()), method_name);

TEST(Rk2, IsTheMidpointRule) {
  OdeOptions options;
  options.fixed_step = 0.5;
  NullSink sink;
  const std::vector<double> tspan = {1.0, 1.5};
  const std::vector<double> x0 = {4.0};
  const OdeResult result = rk2(linear_with_input(), tspan, x0, options, sink);
  // k1 = -2 * 4 + 1 = -7; at the midpoint t = 1.25, x = 4 - 0.25 * 7 = 2.25: k2 = -4.5 + 1.25 = -3.25. Heun's method
  // would give 4 + 0.25 (-7 + 0.5).
  EXPECT_EQ(result.x[0], 4.0 - 0.5 * 3.25);
  EXPECT_EQ(result.statistics.nfevals, 3u);
}

}  // namespace
}  // namespace mbdbench::test
