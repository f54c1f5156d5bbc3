/// \file
/// Evaluations of the methods built on the Dormand-Prince pair, whose last stage is the first of the next step.
#include <gtest/gtest.h>

#include <vector>

#include "tests/integrators/every_method.hpp"
#include "tests/integrators/problems.hpp"

namespace mbdbench::test {
namespace {

class DormandPrince : public testing::TestWithParam<const char*> {};

TEST_P(DormandPrince, EvaluatesOnceAtTheStartSixTimesAnAttemptAndOnceAChange) {
  const OdeEntry& entry = *find_integrator(integrator_registry(), GetParam());
  const std::vector<double> tspan = {0.0, 20.0};
  const std::vector<double> x0 = {2.0, 0.0};
  OdeSystem system = van_der_pol(1.0);
  NullSink sink;
  const OdeStatistics plain = entry.solve(system, tspan, x0, OdeOptions{}, sink).statistics;
  EXPECT_EQ(plain.nfevals, 1 + 6 * (plain.nsteps + plain.nfailed));

  // Every third state is declared changed and put back as it was: the steps stay the same and only the evaluations
  // rise.
  std::size_t visits = 0, changes = 0;
  system.after_step = [&](double, std::span<double>) {
    const bool changed = ++visits % 3 == 0;
    changes += changed ? 1 : 0;
    return changed;
  };
  const OdeStatistics changed = entry.solve(system, tspan, x0, OdeOptions{}, sink).statistics;
  EXPECT_EQ(changed.nsteps, plain.nsteps);
  EXPECT_EQ(changed.nfailed, plain.nfailed);
  EXPECT_GT(changes, 10u);
  EXPECT_EQ(changed.nfevals, plain.nfevals + changes);
}

INSTANTIATE_TEST_SUITE_P(Registry, DormandPrince, testing::Values("ode45", "odeint-dopri5"),
                         [](const testing::TestParamInfo<const char*>& test) {
                           return std::string(test.param) == "ode45" ? "ode45" : "odeint_dopri5";
                         });

}  // namespace
}  // namespace mbdbench::test
