/// \file
/// What every method of the registry promises about its steps: counts, after_step, error control, limits, allocations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/integrators/every_method.hpp"
#include "tests/integrators/problems.hpp"
#include "tests/support/allocation_guard.hpp"

namespace mbdbench::test {
namespace {

class EveryMethodStepping : public EveryMethod {};

TEST_P(EveryMethodStepping, CountsAddUp) {
  const OdeEntry& entry = GetParam();
  std::size_t calls = 0;
  OdeSystem system = oscillation_for(entry);
  system.rhs = [&calls, f = system.rhs](double t, std::span<const double> x, std::span<double> xdot) {
    ++calls;
    return f(t, x, xdot);
  };
  RecordingSink sink;
  const std::vector<double> tspan = {0.0, 20.0};
  const std::vector<double> x0 = {2.0, 0.0};
  const OdeResult result = entry.solve(system, tspan, x0, options_at(entry, 1e-4), sink);
  ASSERT_EQ(result.status, OdeStatus::ok) << result.message;
  EXPECT_EQ(result.statistics.nfevals, calls);
  EXPECT_EQ(result.statistics.nsteps, sink.steps.size());
  EXPECT_EQ(sink.steps.back().t, 20.0);
  EXPECT_EQ(sink.steps.back().x, result.x);
  for (std::size_t i = 0; i < sink.statistics.size(); ++i) {
    EXPECT_EQ(sink.statistics[i].nsteps, i + 1);
  }
  EXPECT_EQ(sink.statistics.back().nfevals, calls);
  EXPECT_EQ(sink.statistics.back().nfailed, result.statistics.nfailed);
  if (entry.adaptive) {
    EXPECT_GT(result.statistics.nfailed, 0u) << "this problem makes every adaptive method fail an attempt";
  }
}

TEST_P(EveryMethodStepping, AfterStepThatChangesNothingChangesNothing) {
  const OdeEntry& entry = GetParam();
  const std::vector<double> tspan = {0.0, 10.0};
  const std::vector<double> x0 = {1.0, 0.0};
  RecordingSink plain;
  const OdeResult expected = entry.solve(harmonic_oscillator(), tspan, x0, options_at(entry, 1e-5), plain);
  std::vector<double> visited;
  OdeSystem system = harmonic_oscillator();
  system.after_step = [&visited](double t, std::span<double>) {
    visited.push_back(t);
    return false;
  };
  RecordingSink sink;
  const OdeResult result = entry.solve(system, tspan, x0, options_at(entry, 1e-5), sink);
  EXPECT_EQ(result.x, expected.x);
  EXPECT_EQ(result.statistics.nfevals, expected.statistics.nfevals);
  ASSERT_EQ(visited.size(), sink.steps.size());
  for (std::size_t i = 0; i < visited.size(); ++i) {
    EXPECT_EQ(visited[i], sink.steps[i].t);
  }
}

TEST_P(EveryMethodStepping, AChangedStateCostsAnEvaluationAndTheHistory) {
  // One step in the middle turns the state around. The motion from there on is the same turned around, so that all
  // extra work is the price of the change. docs/understanding/integrators.md has the numbers of the methods with a
  // history.
  const OdeEntry& entry = GetParam();
  OdeOptions options = options_at(entry, 1e-6);
  if (!entry.adaptive) {
    options.fixed_step = 0.01;
  }
  const std::vector<double> tspan = {0.0, 20.0};
  const std::vector<double> x0 = {1.0, 0.0};
  NullSink sink;
  const OdeResult undisturbed = entry.solve(harmonic_oscillator(), tspan, x0, options, sink);
  OdeSystem system = harmonic_oscillator();
  bool changed = false;
  system.after_step = [&changed](double t, std::span<double> x) {
    if (t <= 10.0 || std::exchange(changed, true)) {
      return false;
    }
    std::transform(x.begin(), x.end(), x.begin(), std::negate<>());
    return true;
  };
  OdeResult disturbed = entry.solve(system, tspan, x0, options, sink);
  ASSERT_TRUE(changed);
  std::transform(disturbed.x.begin(), disturbed.x.end(), disturbed.x.begin(), std::negate<>());
  const auto more = [&](std::size_t OdeStatistics::*count) {
    return static_cast<long>(disturbed.statistics.*count) - static_cast<long>(undisturbed.statistics.*count);
  };
  RecordProperty("more_evaluations", std::to_string(more(&OdeStatistics::nfevals)));
  RecordProperty("more_steps", std::to_string(more(&OdeStatistics::nsteps)));
  if (is_multistep(entry)) {
    // CVODE's Adams methods take more steps with fewer iterations.
    EXPECT_TRUE(more(&OdeStatistics::nfevals) > 1 || more(&OdeStatistics::nsteps) > 0)
        << "a history that was not dropped";
    // From a small first step at order 1 up to the order from before: some tens of steps.
    EXPECT_LT(more(&OdeStatistics::nfevals), 200);
  } else {
    EXPECT_EQ(more(&OdeStatistics::nfevals), 1);
    EXPECT_EQ(more(&OdeStatistics::nsteps), 0);
    EXPECT_EQ(disturbed.x, undisturbed.x);
  }
}

TEST_P(EveryMethodStepping, AChangeWithinTheErrorLeavesTheHistory) {
  // Every step moves the state by a tenth of the tolerance at most: noise within the error. Methods that keep their
  // history need no more work than without, up to what the noise does to their steps: ode113 195 evaluations for 183,
  // ode15s 380 for 380. To drop it every time costs ode113 215722, ode15s 66824, cvode-bdf 111861.
  const OdeEntry& entry = GetParam();
  if (!is_multistep(entry) || !entry.adaptive) {
    GTEST_SKIP() << "no history that is kept";
  }
  constexpr double kTolerance = 1e-6;
  const OdeOptions options = options_at(entry, kTolerance);
  const std::vector<double> tspan = {0.0, 20.0};
  const std::vector<double> x0 = {1.0, 0.0};
  NullSink sink;
  const OdeResult undisturbed = entry.solve(harmonic_oscillator(), tspan, x0, options, sink);
  OdeSystem system = harmonic_oscillator();
  std::size_t steps = 0;
  system.after_step = [&steps](double, std::span<double> x) {
    x[0] += std::sin(static_cast<double>(++steps)) * 0.1 * kTolerance;
    return true;
  };
  const OdeResult disturbed = entry.solve(system, tspan, x0, options, sink);
  ASSERT_EQ(disturbed.status, OdeStatus::ok) << disturbed.message;
  EXPECT_LT(static_cast<double>(disturbed.statistics.nfevals),
            1.3 * static_cast<double>(undisturbed.statistics.nfevals));
  // The oscillator adds the displacements up: at most 0.1 tolerance a step, all on one side at worst.
  const double moved = 0.1 * kTolerance * static_cast<double>(disturbed.statistics.nsteps);
  EXPECT_NEAR(disturbed.x[0], std::cos(20.0), std::abs(undisturbed.x[0] - std::cos(20.0)) + moved);
}

TEST_P(EveryMethodStepping, AfterStepProjectsOnTheCircle) {
  const OdeEntry& entry = GetParam();
  OdeSystem system = harmonic_oscillator();
  system.after_step = [](double, std::span<double> x) {
    const double radius = std::hypot(x[0], x[1]);
    x[0] /= radius;
    x[1] /= radius;
    return true;
  };
  RecordingSink sink;
  const std::vector<double> tspan = {0.0, 100.0};
  const std::vector<double> x0 = {1.0, 0.0};
  const OdeResult result = entry.solve(system, tspan, x0, options_at(entry, 1e-4), sink);
  ASSERT_EQ(result.status, OdeStatus::ok) << result.message;
  for (const Sample& step : sink.steps) {
    // Two divisions and a hypot: within a few units in the last place. Without projection the radius is off by 1e-3.
    EXPECT_NEAR(std::hypot(step.x[0], step.x[1]), 1.0, 1e-15);
  }
  EXPECT_EQ(result.x, sink.steps.back().x);
}

TEST_P(EveryMethodStepping, AfterStepRestartsFromTheNewState) {
  // x' = x is put back to 1 after every step, so inside a step from t_n the solution is exp(t - t_n). A method that
  // went on with the derivative, history or interpolant of the state before the change would miss it by the size of the
  // change.
  const OdeEntry& entry = GetParam();
  OdeSystem system = exponential_growth_for(entry);
  system.after_step = [](double, std::span<double> x) {
    std::fill(x.begin(), x.end(), 1.0);
    return true;
  };
  OdeOptions options = options_at(entry, 1e-8);
  options.refine = 4;
  options.max_step = 0.25;
  RecordingSink sink;
  const std::vector<double> tspan = {0.0, 3.0};
  const std::vector<double> x0(system.size, 1.0);
  const OdeResult result = entry.solve(system, tspan, x0, options, sink);
  ASSERT_EQ(result.status, OdeStatus::ok) << result.message;
  double step_start = 0.0;
  for (std::size_t i = 1; i < sink.samples.size(); ++i) {
    const Sample& sample = sink.samples[i];
    if (i % 4 == 0) {
      EXPECT_EQ(sample.x[0], 1.0) << "the sample at a step's end shows the new state";
      step_start = sample.t;
    } else {
      // A single step's error, with that of a continuous extension of lower order; the change is larger than 1e-2.
      EXPECT_NEAR(sample.x[0], std::exp(sample.t - step_start), 1e-6);
    }
  }
}

TEST_P(EveryMethodStepping, MaskedComponentsDoNotLimitTheSteps) {
  const OdeEntry& entry = GetParam();
  if (!entry.adaptive) {
    GTEST_SKIP() << "no error control";
  }
  const std::vector<double> tspan = {0.0, 10.0};
  NullSink sink;
  const std::vector<double> x0 = {1.0, 0.0};
  const OdeResult alone = entry.solve(harmonic_oscillator(), tspan, x0, OdeOptions{}, sink);

  const OdeSystem with_passenger = system_of(3, [](double t, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = x[1];
    xdot[1] = -x[0];
    xdot[2] = 1e4 * std::cos(100.0 * t);
  });
  const std::vector<double> x0_with_passenger = {1.0, 0.0, 0.0};
  for (const bool norm_control : {false, true}) {
    OdeOptions options;
    options.norm_control = norm_control;
    const OdeResult expected = norm_control ? entry.solve(harmonic_oscillator(), tspan, x0, options, sink) : alone;
    const OdeResult limited = entry.solve(with_passenger, tspan, x0_with_passenger, options, sink);
    EXPECT_GT(limited.statistics.nsteps, expected.statistics.nsteps) << "the third component must matter here";
    options.error_mask = {true, true, false};
    const OdeResult masked = entry.solve(with_passenger, tspan, x0_with_passenger, options, sink);
    if (is_cvode(entry)) {
      // Its first step depends on the number of components, and its sums round differently.
      EXPECT_NEAR(static_cast<double>(masked.statistics.nsteps), static_cast<double>(expected.statistics.nsteps),
                  0.1 * static_cast<double>(expected.statistics.nsteps));
      continue;
    }
    EXPECT_EQ(masked.statistics.nsteps, expected.statistics.nsteps);
    EXPECT_EQ(masked.statistics.nfailed, expected.statistics.nfailed);
    EXPECT_EQ(masked.statistics.nsolves, expected.statistics.nsolves);
    // A Jacobian by differences has a column for every component, controlled or not.
    if (expected.statistics.npds == 0) {
      EXPECT_EQ(masked.statistics.nfevals, expected.statistics.nfevals);
    }
    EXPECT_EQ(masked.first_step, expected.first_step);
  }
}

TEST_P(EveryMethodStepping, AbsoluteToleranceMayBeOneAComponent) {
  const OdeEntry& entry = GetParam();
  if (!entry.adaptive) {
    GTEST_SKIP() << "no error control";
  }
  const std::vector<double> tspan = {0.0, 10.0};
  const std::vector<double> x0 = {1e-3, 0.0};
  NullSink sink;
  OdeOptions options;
  options.absolute_tolerance = {1e-9};
  const OdeResult scalar = entry.solve(harmonic_oscillator(), tspan, x0, options, sink);
  options.absolute_tolerance = {1e-9, 1e-9};
  const OdeResult vector = entry.solve(harmonic_oscillator(), tspan, x0, options, sink);
  EXPECT_EQ(vector.statistics.nfevals, scalar.statistics.nfevals);
  EXPECT_EQ(vector.x, scalar.x);
  options.absolute_tolerance = {1e-4, 1e-4};
  const OdeResult loose = entry.solve(harmonic_oscillator(), tspan, x0, options, sink);
  EXPECT_LT(loose.statistics.nsteps, scalar.statistics.nsteps);
  options.absolute_tolerance = {1e-4, 1e-9};
  const OdeResult second_tight = entry.solve(harmonic_oscillator(), tspan, x0, options, sink);
  EXPECT_GT(second_tight.statistics.nsteps, loose.statistics.nsteps);
}

TEST_P(EveryMethodStepping, StepsRespectTheLargestAndTheFirstStep) {
  const OdeEntry& entry = GetParam();
  if (!entry.adaptive) {
    GTEST_SKIP() << "its step is fixed";
  }
  OdeOptions options;
  options.max_step = 0.125;
  options.initial_step = 1e-3;
  RecordingSink sink;
  const std::vector<double> tspan = {0.0, 10.0};
  const std::vector<double> x0 = {1.0, 0.0};
  const OdeResult result = entry.solve(harmonic_oscillator(), tspan, x0, options, sink);
  EXPECT_EQ(result.first_step, 1e-3);
  double t = 0.0;
  for (std::size_t i = 0; i + 1 < sink.steps.size(); ++i) {
    EXPECT_LE(sink.steps[i].t - t, 0.125 * (1.0 + 1e-12));  // differences of rounded times
    t = sink.steps[i].t;
  }
  EXPECT_LE(10.0 - t, 1.1 * 0.125) << "only the last step may be stretched, by a tenth";
  EXPECT_GE(sink.steps.size(), 72u);
}

TEST_P(EveryMethodStepping, SamplesThatNobodyWantsAreNotMade) {
  class StepsOnly : public RecordingSink {
   public:
    [[nodiscard]] bool wants_samples() const override { return false; }
  };
  const OdeEntry& entry = GetParam();
  const std::vector<double> x0 = {1.0, 0.0};
  OdeOptions options = options_at(entry, 1e-4);
  options.refine = 5;
  for (const std::vector<double>& tspan : {std::vector{0.0, 4.0}, {0.0, 1.0, 2.0, 4.0}}) {
    StepsOnly few;
    RecordingSink all;
    const OdeResult result = entry.solve(harmonic_oscillator(), tspan, x0, options, few);
    const OdeResult expected = entry.solve(harmonic_oscillator(), tspan, x0, options, all);
    EXPECT_TRUE(few.samples.empty());
    EXPECT_FALSE(all.samples.empty());
    EXPECT_EQ(few.steps.size(), all.steps.size());
    EXPECT_EQ(result.x, expected.x);
    const std::size_t for_samples = expected.statistics.nfevals - result.statistics.nfevals;
    if (is_extrapolation(entry)) {
      EXPECT_GE(for_samples, 1u);
      EXPECT_LE(for_samples, kMostEvaluationsOfASample * all.samples.size());
    } else if (tspan.size() == 2) {
      EXPECT_EQ(for_samples, evaluations_for_samples(entry) * result.statistics.nsteps);
    } else {
      EXPECT_LE(for_samples, evaluations_for_samples(entry) * (tspan.size() - 2)) << "at most two steps hold a sample";
    }
  }
}

TEST_P(EveryMethodStepping, StepsAllocateNothing) {
  if (!AllocationGuard::active()) {
    GTEST_SKIP() << "allocations are not visible in this build";
  }
  const OdeEntry& entry = GetParam();
  if (allocates_in_every_attempt(entry)) {
    GTEST_SKIP() << "Boost's stepper takes memory in every attempt";
  }
  const OdeSystem system = oscillation_for(entry);
  const OdeOptions options = options_at(entry, 1e-6);
  const std::vector<double> x0 = {2.0, 0.0};
  const auto allocations = [&](double tf) {
    NullSink sink;
    const std::vector<double> tspan = {0.0, tf};
    const AllocationGuard guard;
    const OdeResult result = entry.solve(system, tspan, x0, options, sink);
    const std::size_t count = guard.count();
    EXPECT_GT(static_cast<double>(result.statistics.nsteps), tf);
    return count;
  };
  EXPECT_EQ(allocations(100.0), allocations(1.0)) << "more steps must not need more allocations";
}

TEST_P(EveryMethodStepping, TakesSystemsWithoutAComponent) {
  OdeSystem system;
  system.rhs = [](double, std::span<const double> x, std::span<double> xdot) {
    EXPECT_TRUE(x.empty() && xdot.empty());
    return std::string();
  };
  const std::vector<double> nothing;
  for (const std::vector<double>& tspan :
       {std::vector<double>{0.0, 0.25, 1.0}, std::vector<double>{1.0, 0.1, -1.0}, std::vector<double>{0.0, 2.0}}) {
    OdeOptions options;
    options.max_step = 0.125;
    options.fixed_step = GetParam().adaptive ? OdeOptions::kUnset : 0.125;
    RecordingSink sink;
    const OdeResult result = GetParam().solve(system, tspan, nothing, options, sink);
    EXPECT_EQ(result.status, OdeStatus::ok) << result.message;
    EXPECT_EQ(result.t, tspan.back());
    EXPECT_TRUE(result.x.empty());
    EXPECT_EQ(static_cast<double>(result.statistics.nsteps), std::abs(tspan.back() - tspan.front()) / 0.125);
    std::vector<double> times;
    for (const Sample& sample : sink.samples) {
      times.push_back(sample.t);
    }
    if (tspan.size() > 2) {
      EXPECT_EQ(times, tspan);
    } else {
      EXPECT_EQ(times.size(), result.statistics.nsteps + 1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryMethodStepping,
                         testing::ValuesIn(integrator_registry().begin(), integrator_registry().end()), method_name);

}  // namespace
}  // namespace mbdbench::test
