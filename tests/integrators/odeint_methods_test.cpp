/// \file
/// The adaptors of Boost.Odeint's further methods: their counts, their restarts and the order of their samples.
#include <gtest/gtest.h>

#include <boost/numeric/odeint/integrate/integrate_adaptive.hpp>
#include <boost/numeric/odeint/integrate/integrate_n_steps.hpp>
#include <boost/numeric/odeint/stepper/adams_bashforth_moulton.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <cmath>
#include <vector>

#include "integrators/odeint/odeint_adams_bashforth_moulton.hpp"
#include "integrators/odeint/odeint_fehlberg78.hpp"
#include "tests/integrators/problems.hpp"

namespace mbdbench::test {
namespace {

namespace odeint = boost::numeric::odeint;
using State = std::vector<double>;

TEST(OdeintFehlberg78, TakesTheStepsOfOdeintsOwnLoop) {
  OdeOptions options;
  options.relative_tolerance = 1e-7;
  options.absolute_tolerance = {1e-9};
  options.initial_step = 1e-2;
  NullSink sink;
  const State tspan = {0.0, 20.0};
  const State x0 = {0.5, 0.0};
  const OdeSystem system = van_der_pol(1.0);
  const OdeResult result = odeint_fehlberg78(system, tspan, x0, options, sink);

  State x = x0;
  const auto f = [&](const State& state, State& rate, double t) { system.rhs(t, state, rate); };
  const auto stepper = odeint::make_controlled<odeint::runge_kutta_fehlberg78<State>>(1e-9, 1e-7);
  const std::size_t steps = odeint::integrate_adaptive(stepper, f, x, 0.0, 20.0, 1e-2);
  EXPECT_EQ(result.statistics.nsteps, steps);
  EXPECT_GT(result.statistics.nfailed, 0u);
  EXPECT_EQ(result.statistics.nfevals, 1 + 13 * result.statistics.nsteps + 12 * result.statistics.nfailed);
  // The same operations in the same order, except that the compiler may contract them differently in the two loops.
  EXPECT_LT(largest_difference(result.x, x), 1e-11);
}

/// Largest error inside one step of size h of the nonlinear problem from t = 0.5.
double inside_error(double h) {
  OdeOptions options;
  options.relative_tolerance = 1.0;
  options.absolute_tolerance = {1.0};
  options.initial_step = h;
  options.refine = 10;
  RecordingSink sink;
  const State tspan = {0.5, 0.5 + h};
  EXPECT_EQ(odeint_fehlberg78(nonlinear_problem(), tspan, nonlinear_solution(0.5), options, sink).statistics.nsteps,
            1u);
  double largest = 0.0;
  for (const Sample& sample : sink.samples) {
    largest = std::fmax(largest, largest_difference(sample.x, nonlinear_solution(sample.t)));
  }
  return largest;
}

TEST(OdeintFehlberg78, SamplesInsideAStepHaveOrderEight) {
  // Local error h^9; at h = 0.2 the next term changes the observed exponent by some tenths.
  EXPECT_NEAR(std::log2(inside_error(0.2) / inside_error(0.1)), 9.0, 0.7);
}

TEST(OdeintAdamsBashforthMoulton, GivesWhatOdeintsOwnLoopGives) {
  OdeOptions options;
  options.fixed_step = 0.01;
  NullSink sink;
  const State tspan = {0.0, 10.0};
  const State x0 = {0.5, 0.0};
  const OdeSystem system = van_der_pol(1.0);
  const OdeResult result = odeint_adams_bashforth_moulton(system, tspan, x0, options, sink);

  State x = x0;
  const auto f = [&](const State& state, State& rate, double t) { system.rhs(t, state, rate); };
  odeint::integrate_n_steps(odeint::adams_bashforth_moulton<4, State>(), f, x, 0.0, 0.01, 1000);
  EXPECT_LT(largest_difference(result.x, x), 1e-12);
  EXPECT_EQ(result.statistics.nsteps, 1000u);
  EXPECT_EQ(result.statistics.nfevals, 1u + 2u * 1000u + 2u * 3u);
}

TEST(OdeintAdamsBashforthMoulton, ChangedStatesRestartTheHistory) {
  std::size_t visits = 0;
  OdeSystem system = harmonic_oscillator();
  system.after_step = [&visits](double, std::span<double>) { return ++visits % 100 == 0; };
  OdeOptions options;
  options.fixed_step = 0.01;
  NullSink sink;
  const State tspan = {0.0, 9.995};
  const State x0 = {1.0, 0.0};
  const OdeResult result = odeint_adams_bashforth_moulton(system, tspan, x0, options, sink);
  EXPECT_EQ(result.statistics.nsteps, 1000u);
  // Ten starts of three steps, the first at t = 0, and the short last step; nine changes before the last step count,
  // the tenth is its own.
  EXPECT_EQ(result.statistics.nfevals, 1u + 2u * 1000u + 2u * (10u * 3u + 1u) + 10u);
}

}  // namespace
}  // namespace mbdbench::test
