/// \file
/// Evaluations of the methods built on a Runge-Kutta pair whose last stage is the first of the next step.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "tests/integrators/every_method.hpp"
#include "tests/integrators/problems.hpp"

namespace mbdbench::test {
namespace {

struct PairMethod {
  const char* key;
  std::size_t evaluations_an_attempt;
};

void PrintTo(const PairMethod& method, std::ostream* stream) {
  *stream << method.key;
}

class FirstSameAsLast : public testing::TestWithParam<PairMethod> {};

TEST_P(FirstSameAsLast, EvaluatesOnceAtTheStartAFixedNumberAnAttemptAndOnceAChange) {
  const OdeEntry& entry = *find_integrator(integrator_registry(), GetParam().key);
  const std::vector<double> tspan = {0.0, 20.0};
  const std::vector<double> x0 = {2.0, 0.0};
  OdeSystem system = van_der_pol(1.0);
  NullSink sink;
  const OdeStatistics plain = entry.solve(system, tspan, x0, OdeOptions{}, sink).statistics;
  EXPECT_EQ(plain.nfevals, 1 + GetParam().evaluations_an_attempt * (plain.nsteps + plain.nfailed));

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

INSTANTIATE_TEST_SUITE_P(Registry, FirstSameAsLast,
                         testing::Values(PairMethod{"ode45", 6}, PairMethod{"ode23", 3},
                                         PairMethod{"odeint-dopri5", 6}),
                         [](const testing::TestParamInfo<PairMethod>& test) {
                           std::string name = test.param.key;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace mbdbench::test
