/// \file
/// The published counts of the 16-body pendulum and what else is known exactly of it, for every registered formulation.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "experiments/registries/registries.hpp"
#include "experiments/simulation/simulation.hpp"

namespace mbdbench {
namespace {

/// A formulation in the pendulum's 16 joint angles and their velocities or momenta: counts depend on the state alone.
struct JointStateRun {
  std::string key;
  StateKind rate_kind = StateKind::velocity;
  std::unique_ptr<Formulation> formulation;
};

class PendulumCountsTest : public testing::Test {
 protected:
  PendulumCountsTest() {
    const Registries registries = default_registries();
    for (const FormulationEntry& entry : registries.formulations) {
      if (!entry.refusal(mechanism_).empty()) {
        continue;
      }
      auto formulation = make_formulation(registries.formulations, entry, mechanism_);
      if (has_joint_state(*formulation)) {
        runs_.push_back({std::string(entry.key), entry.rate_kind, std::move(formulation)});
      }
    }
  }

  static bool has_joint_state(const Formulation& formulation) {
    const auto layout = formulation.layout();
    return layout.size() == 32 && layout[0].name == "q.joint1" && layout[15].name == "q.joint16" &&
           layout[16].joint == "joint1" && layout[16].kind != StateKind::position;
  }

  static SimulationResult run(Formulation& formulation, double tolerance, const std::vector<double>& times,
                              OdeSink& sink) {
    SimulationOptions options;
    options.ode.relative_tolerance = tolerance;
    options.absolute_tolerance = tolerance;
    return simulate(formulation, *find_integrator(integrator_registry(), "ode45"), times,
                    initial_state(formulation, 0.0), options, sink);
  }

  const Mechanism mechanism_ = make_mechanism(mechanism_registry(), "pendulum:16");
  std::vector<JointStateRun> runs_;
};

TEST_F(PendulumCountsTest, EveryFormulationTakesThePublishedNumberOfEvaluations) {
  ASSERT_GE(runs_.size(), 4U);
  for (const JointStateRun& entry : runs_) {
    SCOPED_TRACE(entry.key);
    NullSink sink;
    const SimulationResult result = run(*entry.formulation, 1e-6, {0.0, 10.0}, sink);
    ASSERT_TRUE(result.succeeded()) << result.message();
    const bool momentum = entry.rate_kind == StateKind::momentum;
    const OdeStatistics& counts = result.ode.statistics;
    EXPECT_EQ(counts.nsteps, momentum ? 525U : 576U);
    EXPECT_EQ(counts.nfailed, momentum ? 3U : 6U);
    EXPECT_EQ(counts.nfevals, momentum ? 3169U : 3493U);
    EXPECT_EQ(counts.nfevals, 1 + 6 * (counts.nsteps + counts.nfailed));
    EXPECT_EQ(result.rhs_calls, counts.nfevals);
    // Ten digits are known.
    const double first_step = momentum ? 4.019860757e-5 : 0.007718132654;
    EXPECT_NEAR(result.ode.first_step, first_step, 1.3e-10 * first_step);
  }
}

TEST_F(PendulumCountsTest, TheChainStartsWithTheKnownAccelerations) {
  for (const JointStateRun& entry : runs_) {
    if (entry.rate_kind != StateKind::velocity) {
      continue;
    }
    SCOPED_TRACE(entry.key);
    const std::vector<double> x0 = initial_state(*entry.formulation, 0.0);
    std::vector<double> xdot(x0.size());
    ASSERT_TRUE(entry.formulation->rhs(0.0, x0, xdot).ok);
    // 2/3 g, -4/9 g, -4/27 g; the mass matrix has condition 2.4e4, which a dense solve may lose: 2.4e4 eps |qddot|
    // = 3.5e-11.
    constexpr double kLimit = 3.5e-11;
    EXPECT_NEAR(xdot[16], 6.54, kLimit);
    EXPECT_NEAR(xdot[17], -4.36, kLimit);
    EXPECT_NEAR(xdot[18], -4.36 / 3.0, kLimit);
  }
}

TEST_F(PendulumCountsTest, FormulationsAgreeUntilChaosForbids) {
  class Keeper : public OdeSink {
   public:
    bool sample(double /*t*/, std::span<const double> x) override {
      samples.emplace_back(x.begin(), x.end());
      return true;
    }
    std::vector<std::vector<double>> samples;
  };
  // Local errors of 1e-10 relative to angles of at most 10 rad, amplified less than 4e4-fold (that takes 10 s).
  constexpr double kLimit = 10.0 * 4e4 * 1e-10;
  std::vector<std::vector<double>> first;
  for (const JointStateRun& entry : runs_) {
    SCOPED_TRACE(entry.key);
    Keeper keeper;
    ASSERT_TRUE(run(*entry.formulation, 1e-10, {0.0, 2.0, 5.0}, keeper).succeeded());
    ASSERT_EQ(keeper.samples.size(), 3U);
    if (first.empty()) {
      first = keeper.samples;
    }
    for (std::size_t k = 0; k < first.size(); ++k) {
      for (std::size_t i = 0; i < 16; ++i) {
        EXPECT_NEAR(keeper.samples[k][i], first[k][i], kLimit) << "joint " << i + 1 << ", sample " << k;
      }
    }
  }
}

}  // namespace
}  // namespace mbdbench
