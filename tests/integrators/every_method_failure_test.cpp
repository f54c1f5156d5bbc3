/// \file
/// How every method of the registry ends a run that cannot be finished: status, message, time, and nothing lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/integrators/every_method.hpp"
#include "tests/integrators/problems.hpp"

namespace mbdbench::test {
namespace {

class EveryMethodFailing : public EveryMethod {
 protected:
  OdeResult solve(const OdeSystem& system, OdeSink& sink, const OdeOptions& options) const {
    const std::vector<double> tspan = {0.0, 2.0};
    const std::vector<double> x0 = {1.0, 1.0};
    return GetParam().solve(system, tspan, x0, options, sink);
  }

  static OdeSystem problem() { return nonlinear_problem_for(GetParam()); }

  OdeOptions options() const { return options_at(GetParam(), 1e-5); }

  /// What reached the sink is the solution up to the last accepted time, and the result is the last of it.
  static void expect_all_kept(const OdeResult& result, const RecordingSink& sink) {
    ASSERT_FALSE(sink.samples.empty());
    EXPECT_EQ(sink.samples.back().t, result.t);
    EXPECT_EQ(sink.samples.back().x, result.x);
    EXPECT_EQ(sink.steps.size(), result.statistics.nsteps);
    for (const Sample& sample : sink.samples) {
      // Tolerance 1e-5 and a margin of 30 for the error constants and for interpolation.
      EXPECT_LT(largest_difference(sample.x, nonlinear_solution(sample.t)), 3e-4) << "t = " << sample.t;
    }
  }
};

constexpr double kFailureTime = 0.5;

TEST_P(EveryMethodFailing, NotFiniteFromATimeOn) {
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    OdeSystem system = problem();
    system.rhs = [value, f = system.rhs](double t, std::span<const double> x, std::span<double> xdot) {
      f(t, x, xdot);
      xdot[1] = t > kFailureTime ? value : xdot[1];
      return std::string();
    };
    RecordingSink sink;
    const OdeResult result = solve(system, sink, options());
    EXPECT_EQ(result.status, OdeStatus::not_finite);
    EXPECT_NE(result.message.find("the rate of component 1 is " + std::string(std::isnan(value) ? "nan" : "inf")),
              std::string::npos)
        << result.message;
    EXPECT_NE(result.message.find("t = 0.5"), std::string::npos) << result.message;
    EXPECT_LE(result.t, kFailureTime);
    EXPECT_GT(result.t, kFailureTime - 0.25) << "not more than a step short of the failure";
    // Halving leads from the first failure to the smallest step in about 50 attempts; growth in between costs some
    // more.
    EXPECT_LT(result.statistics.nfailed, 100u);
    expect_all_kept(result, sink);
  }
}

TEST_P(EveryMethodFailing, NotFiniteAtTheStart) {
  OdeSystem system = problem();
  system.rhs = [](double, std::span<const double>, std::span<double> xdot) {
    xdot[0] = std::numeric_limits<double>::quiet_NaN();
    xdot[1] = 0.0;
    return std::string();
  };
  RecordingSink sink;
  const OdeResult result = solve(system, sink, options());
  EXPECT_EQ(result.status, OdeStatus::not_finite);
  EXPECT_EQ(result.t, 0.0);
  EXPECT_EQ(result.statistics.nfevals, 1u);
  EXPECT_EQ(result.statistics.nsteps, 0u);
  EXPECT_NE(result.message.find("the rate of component 0 is nan at t = 0"), std::string::npos) << result.message;
  expect_all_kept(result, sink);
}

TEST_P(EveryMethodFailing, StateOverflowsWhereFIsFinite) {
  // x = 1e306 t leaves the range of double at t = 179.77; f never does.
  OdeSystem system = system_of(1, [](double, std::span<const double>, std::span<double> xdot) { xdot[0] = 1e306; });
  system.separable_positions = 1;
  NullSink sink;
  const std::vector<double> tspan = {0.0, 1000.0};
  const std::vector<double> x0 = {0.0};
  const OdeResult result = GetParam().solve(system, tspan, x0, options(), sink);
  EXPECT_EQ(result.status, OdeStatus::not_finite);
  EXPECT_NE(result.message.find("of component 0 is "), std::string::npos) << result.message;
  EXPECT_LT(result.t, 179.8);
  if (!is_cvode(GetParam())) {  // the squares in its norm overflow at once
    EXPECT_GT(result.t, 0.0);
  }
  EXPECT_TRUE(std::isfinite(result.x[0]));
}

TEST_P(EveryMethodFailing, RhsReportsWhy) {
  OdeSystem system = problem();
  system.rhs = [f = system.rhs](double t, std::span<const double> x, std::span<double> xdot) {
    return t > kFailureTime ? std::string("joint k3: singular") : f(t, x, xdot);
  };
  RecordingSink sink;
  const OdeResult result = solve(system, sink, options());
  EXPECT_EQ(result.status, OdeStatus::rhs_failed);
  EXPECT_NE(result.message.find("joint k3: singular"), std::string::npos) << result.message;
  EXPECT_NE(result.message.find("t = 0."), std::string::npos) << result.message;
  EXPECT_LE(result.t, kFailureTime);
  EXPECT_GT(result.statistics.nsteps, 0u);
  expect_all_kept(result, sink);
}

TEST_P(EveryMethodFailing, AShorterStepAvoidsWhatReachesTooFar) {
  constexpr double kReach = 0.01;
  double accepted = 0.0;
  OdeSystem system = problem();
  system.rhs = [&accepted, f = system.rhs](double t, std::span<const double> x, std::span<double> xdot) {
    return t > accepted + kReach ? std::string("joint k3: too far") : f(t, x, xdot);
  };
  system.reached_too_far = [] { return true; };
  system.after_step = [&accepted](double t, std::span<double>) {
    accepted = t;
    return false;
  };
  OdeOptions loose = options();
  loose.relative_tolerance = 1e-2;
  loose.absolute_tolerance = {1e-2};
  loose.fixed_step = 10.0 * kReach;
  RecordingSink sink;
  const OdeResult result = solve(system, sink, loose);
  if (GetParam().adaptive) {
    EXPECT_EQ(result.status, OdeStatus::ok) << result.message;
    for (std::size_t i = 1; i < sink.steps.size(); ++i) {
      EXPECT_LE(sink.steps[i].t - sink.steps[i - 1].t, 1.001 * kReach);
    }
  } else {
    EXPECT_EQ(result.status, OdeStatus::rhs_failed);
    EXPECT_NE(result.message.find("joint k3: too far"), std::string::npos) << result.message;
  }

  // Where no step is short enough the failure itself is told.
  system.rhs = [f = system.rhs](double t, std::span<const double> x, std::span<double> xdot) {
    return t > kFailureTime ? std::string("joint k4: never") : f(t, x, xdot);
  };
  accepted = 0.0;
  const OdeResult failed = solve(system, sink, loose);
  EXPECT_EQ(failed.status, OdeStatus::rhs_failed);
  EXPECT_NE(failed.message.find(GetParam().adaptive ? "joint k4: never" : "joint k3"), std::string::npos)
      << failed.message;
}

TEST_P(EveryMethodFailing, EvaluationLimitIsNeverExceeded) {
  std::size_t calls = 0;
  OdeSystem system = problem();
  system.rhs = [&calls, f = system.rhs](double t, std::span<const double> x, std::span<double> xdot) {
    ++calls;
    return f(t, x, xdot);
  };
  // Samples inside steps, for which some methods evaluate f.
  OdeOptions refined = options();
  refined.refine = 2;
  RecordingSink unlimited;
  const std::size_t needed = solve(system, unlimited, refined).statistics.nfevals;
  // Every limit of a short run, some five hundred of a long one.
  const std::size_t stride = 1 + needed / 500;
  for (std::size_t count = 0; count < needed + stride; count += stride) {
    const std::size_t limit = std::min(count, needed);
    calls = 0;
    RecordingSink sink;
    OdeOptions limited = refined;
    limited.max_evaluations = limit;
    const OdeResult result = solve(system, sink, limited);
    EXPECT_EQ(calls, limit);
    EXPECT_EQ(result.statistics.nfevals, limit);
    EXPECT_EQ(result.status, limit < needed ? OdeStatus::evaluation_limit : OdeStatus::ok);
    if (limit < needed) {
      EXPECT_NE(result.message.find("limit of " + std::to_string(limit)), std::string::npos) << result.message;
    }
    expect_all_kept(result, sink);
  }
}

TEST_P(EveryMethodFailing, SinkStopsAtASample) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{7}}) {
    OdeOptions refined = options();
    refined.refine = 4;
    RecordingSink sink(count);
    const OdeResult result = solve(problem(), sink, refined);
    EXPECT_EQ(result.status, OdeStatus::stopped);
    EXPECT_EQ(sink.samples.size(), count) << "no call after the sink has asked to stop";
    // The step in which the sink stopped is accepted: the result is its end, at or behind the last sample.
    EXPECT_GE(result.t, sink.samples.back().t);
    EXPECT_EQ(result.statistics.nsteps, (count + 2) / 4);
    EXPECT_LT(largest_difference(result.x, nonlinear_solution(result.t)), 3e-4);
  }
}

TEST_P(EveryMethodFailing, SinkStopsAtAStep) {
  RecordingSink sink(RecordingSink::kNever, 3);
  const OdeResult result = solve(problem(), sink, options());
  EXPECT_EQ(result.status, OdeStatus::stopped);
  EXPECT_EQ(result.statistics.nsteps, 3u);
  EXPECT_NE(result.message.find("sink"), std::string::npos) << result.message;
  expect_all_kept(result, sink);
}

TEST_P(EveryMethodFailing, BlowUpMakesTheStepTooSmall) {
  if (!GetParam().adaptive) {
    GTEST_SKIP() << "its step is fixed";
  }
  // x' = x^2 from 1 is 1 / (1 - t).
  const OdeSystem system =
      system_of(1, [](double, std::span<const double> x, std::span<double> xdot) { xdot[0] = x[0] * x[0]; });
  RecordingSink sink;
  const std::vector<double> tspan = {0.0, 2.0};
  const std::vector<double> x0 = {1.0};
  const OdeResult result = GetParam().solve(system, tspan, x0, options(), sink);
  EXPECT_EQ(result.status, OdeStatus::step_too_small);
  // The computed solution has its own pole; it lies as close to 1 as a relative error of some tolerances puts it.
  EXPECT_NEAR(result.t, 1.0, 1e-3);
  EXPECT_GT(result.x[0], 1e10);
  EXPECT_NE(result.message.find("component 0"), std::string::npos) << result.message;
  EXPECT_NE(result.message.find("at t = "), std::string::npos) << result.message;
  EXPECT_EQ(sink.samples.back().x, result.x);
}

TEST_P(EveryMethodFailing, StateThatAfterStepSpoils) {
  // after_step leads to a state where f fails: the accepted step still reaches the sink.
  OdeSystem system = problem();
  system.rhs = [f = system.rhs](double t, std::span<const double> x, std::span<double> xdot) {
    return x[0] < 0.0 ? std::string("negative") : f(t, x, xdot);
  };
  system.after_step = [](double t, std::span<double> x) {
    if (t > kFailureTime) {
      x[0] = -1.0;
      return true;
    }
    return false;
  };
  RecordingSink sink;
  const OdeResult result = solve(system, sink, options());
  EXPECT_EQ(result.status, OdeStatus::rhs_failed);
  EXPECT_GT(result.t, kFailureTime);
  EXPECT_EQ(result.x[0], -1.0);
  EXPECT_EQ(sink.samples.back().x, result.x);
  EXPECT_EQ(sink.samples.back().t, result.t);
  EXPECT_EQ(sink.steps.size(), result.statistics.nsteps);
}

TEST_P(EveryMethodFailing, FixedStepIsNeededWhereItIsUsed) {
  NullSink sink;
  OdeOptions unset = options();
  unset.fixed_step = OdeOptions::kUnset;
  if (GetParam().adaptive) {
    EXPECT_EQ(solve(problem(), sink, unset).status, OdeStatus::ok);
    return;
  }
  try {
    solve(problem(), sink, unset);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("fixed_step is unset"), std::string::npos) << error.what();
  }
  unset.fixed_step = 1e-17;
  EXPECT_THROW(solve(problem(), sink, unset), std::invalid_argument) << "no time moves by so little";
}

TEST_P(EveryMethodFailing, RefusesWhatValidateRefuses) {
  OdeOptions bad = options();
  bad.relative_tolerance = -1.0;
  NullSink sink;
  EXPECT_THROW(solve(problem(), sink, bad), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryMethodFailing,
                         testing::ValuesIn(integrator_registry().begin(), integrator_registry().end()), method_name);

}  // namespace
}  // namespace mbdbench::test
