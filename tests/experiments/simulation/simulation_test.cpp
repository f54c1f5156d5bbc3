#include "experiments/simulation/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/monitors/run_accuracy.hpp"
#include "experiments/registries/registries.hpp"
#include "experiments/simulation/output/trajectory_writer.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

const OdeEntry& ode45_entry() {
  return *find_integrator(integrator_registry(), "ode45");
}

std::unique_ptr<Formulation> formulation_of(const char* key, const Mechanism& mechanism) {
  return make_formulation(formulation_registry(), *find_formulation(formulation_registry(), key), mechanism);
}

class SimulationTest : public testing::Test {
 protected:
  SimulationResult run(Formulation& formulation, const SimulationOptions& options, OdeSink& sink, double end = 1.0) {
    const std::array interval = {0.0, end};
    return simulate(formulation, ode45_entry(), interval, initial_state(formulation, 0.0), options, sink);
  }

  const Mechanism mechanism_ = make_mechanism(mechanism_registry(), "pendulum:3");
  std::unique_ptr<Formulation> dense_ = formulation_of("dense", mechanism_);
};

TEST_F(SimulationTest, TolerancesAndMasksFollowTheKindsOfState) {
  SimulationOptions options;
  options.absolute_tolerance = 1e-5;
  EXPECT_EQ(ode_options(options, dense_->layout()).absolute_tolerance, std::vector{1e-5});
  EXPECT_TRUE(ode_options(options, dense_->layout()).error_mask.empty());

  options.absolute_tolerance_of[StateKind::velocity] = 1e-3;
  options.controlled = {StateKind::position};
  const OdeOptions ode = ode_options(options, dense_->layout());
  EXPECT_EQ(ode.absolute_tolerance, (std::vector{1e-5, 1e-5, 1e-5, 1e-3, 1e-3, 1e-3}));
  EXPECT_EQ(ode.error_mask, (std::vector{true, true, true, false, false, false}));
}

TEST_F(SimulationTest, AKindThatTheStateLacksIsRefused) {
  SimulationOptions options;
  options.controlled = {StateKind::momentum};
  try {
    ode_options(options, dense_->layout());
    FAIL() << "momentum was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "--control: the state has no component of kind momentum; it has position, velocity");
  }
}

TEST_F(SimulationTest, AFailingSinkStopsTheRunAndKeepsTheState) {
  class Failing : public NullSink {
   public:
    bool step(double /*t*/, std::span<const double> /*x*/, const OdeStatistics& so_far) override {
      if (so_far.nsteps == 3) {
        throw std::runtime_error("the disk is full");
      }
      return true;
    }
  } sink;
  const SimulationResult result = run(*dense_, {}, sink);
  EXPECT_FALSE(result.succeeded());
  EXPECT_EQ(result.message(), "the disk is full");
  EXPECT_EQ(result.ode.statistics.nsteps, 3U);
  EXPECT_GT(result.ode.t, 0.0);
  EXPECT_EQ(result.ode.x.size(), 6U);
}

TEST_F(SimulationTest, TheChainPassesEverythingOnUntilOneStops) {
  class Counting : public OdeSink {
   public:
    explicit Counting(std::size_t most) : most_(most) {}
    bool sample(double /*t*/, std::span<const double> /*x*/) override { return ++samples < most_; }
    std::size_t samples = 0;

   private:
    std::size_t most_;
  };
  Counting first(5);
  Counting second(100);
  SinkChain chain({&first, &second});
  const SimulationResult result = run(*dense_, {}, chain);
  EXPECT_EQ(result.ode.status, OdeStatus::stopped);
  EXPECT_EQ(first.samples, 5U);
  EXPECT_EQ(second.samples, 4U);
}

TEST_F(SimulationTest, TheDeviationOfTheEnergyGoesWithTheTolerance) {
  RunAccuracy coarse(*dense_);
  RunAccuracy fine(*dense_);
  SimulationOptions options;
  options.ode.relative_tolerance = 1e-3;
  options.absolute_tolerance = 1e-3;
  ASSERT_TRUE(run(*dense_, options, coarse).succeeded());
  options.ode.relative_tolerance = 1e-10;
  options.absolute_tolerance = 1e-10;
  ASSERT_TRUE(run(*dense_, options, fine).succeeded());
  // The chain starts at rest in the plane of the origin.
  EXPECT_EQ(fine.initial_energy(), 0.0);
  EXPECT_GT(fine.largest_kinetic_energy(), 1.0);
  EXPECT_LE(std::abs(fine.final_deviation()), fine.largest_deviation());
  EXPECT_LT(fine.largest_deviation(), 1e-7 * fine.largest_kinetic_energy());
  EXPECT_GT(coarse.largest_deviation(), 100.0 * fine.largest_deviation());
}

TEST_F(SimulationTest, TheTrajectoryHasEveryColumnUnderItsName) {
  const TemporaryDirectory directory;
  TrajectoryWriter writer(directory / "t.csv", *dense_, {.reactions = true, .comments = {"three links"}});
  ASSERT_TRUE(run(*dense_, {}, writer).succeeded());
  EXPECT_FALSE(std::filesystem::exists(directory / "t.csv"));
  writer.finish();
  const CsvTable table = read_csv(directory / "t.csv");
  EXPECT_EQ(table.comments, std::vector<std::string>{"three links"});
  const std::vector<std::string> expected = {"t",
                                             "q.joint1",
                                             "q.joint2",
                                             "q.joint3",
                                             "v.joint1",
                                             "v.joint2",
                                             "v.joint3",
                                             "kinetic",
                                             "potential",
                                             "total",
                                             "position_residual",
                                             "velocity_residual",
                                             "x_tip",
                                             "y_tip",
                                             "z_tip",
                                             "vx_tip",
                                             "vy_tip",
                                             "vz_tip",
                                             "fx_joint1",
                                             "fy_joint1",
                                             "fz_joint1",
                                             "nx_joint1",
                                             "ny_joint1",
                                             "nz_joint1",
                                             "fx_joint2",
                                             "fy_joint2",
                                             "fz_joint2",
                                             "nx_joint2",
                                             "ny_joint2",
                                             "nz_joint2",
                                             "fx_joint3",
                                             "fy_joint3",
                                             "fz_joint3",
                                             "nx_joint3",
                                             "ny_joint3",
                                             "nz_joint3"};
  EXPECT_EQ(table.columns, expected);
  ASSERT_EQ(table.rows.size(), writer.rows());
  // At rest along x: the tip is 3 m out. The whole chain of 3 kg hangs on joint 1 and falls: the vertical reaction is
  // smaller than the weight.
  const std::vector<std::string>& first = table.rows.front();
  EXPECT_EQ(first[0], "0");
  EXPECT_NEAR(std::stod(first[12]), 3.0, 1e-15);
  EXPECT_GT(std::stod(first[20]), 0.0);
  EXPECT_LT(std::stod(first[20]), 3.0 * 9.81);
}

TEST_F(SimulationTest, ObservingDoesNotChangeTheRun) {
  const TemporaryDirectory directory;
  NullSink nothing;
  const SimulationResult bare = run(*dense_, {}, nothing);
  RunAccuracy energy(*dense_);
  TrajectoryWriter writer(directory / "t.csv", *dense_);
  SinkChain chain({&energy, &writer});
  const SimulationResult observed = run(*dense_, {}, chain);
  EXPECT_EQ(bare.ode.x, observed.ode.x);
  EXPECT_EQ(bare.rhs_calls, observed.rhs_calls);
}

}  // namespace
}  // namespace mbdbench
