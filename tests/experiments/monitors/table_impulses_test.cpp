/// \file
/// Tables over time between steps: what a run can have missed of them.
#include "experiments/monitors/table_impulses.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

const TableLaw kPulse{"t", {0.0, 5.003, 5.004, 5.012, 5.013, 10.0}, {0.0, 0.0, 1000.0, 1000.0, 0.0, 0.0}};

TEST(table_impulses, are_areas_under_straight_lines) {
  // By hand: 8 ms of 1000 and two flanks of 1 ms.
  EXPECT_NEAR(integral(kPulse, 0.0, 10.0, false), 9.0, 1e-12);
  EXPECT_NEAR(integral(kPulse, -3.0, 5.008, false), 4.5, 1e-9);
  EXPECT_EQ(integral(kPulse, 6.0, 12.0, true), 0.0);
  const TableLaw saw{"t", {0.0, 1.0, 2.0}, {-1.0, 1.0, 4.0}};
  EXPECT_NEAR(integral(saw, 0.0, 1.0, false), 0.0, 1e-15);
  EXPECT_NEAR(integral(saw, 0.0, 1.0, true), 0.5, 1e-15);
  EXPECT_NEAR(integral(saw, -2.0, 3.0, false), -2.0 + 0.0 + 2.5 + 4.0, 1e-14);
  EXPECT_NEAR(integral(saw, 0.25, 0.25, true), 0.0, 1e-15);
}

TEST(table_impulses, of_a_pulse_within_a_step_are_missed) {
  MechanismDescription description;
  description.joint_loads = {{"pulse", "x", 0, kPulse}};
  TableImpulses coarse(description);
  coarse.step(0.0, 4.0);
  coarse.step(4.0, 10.0);
  ASSERT_EQ(coarse.impulses().size(), 1U);
  EXPECT_EQ(coarse.impulses()[0].load, "pulse");
  EXPECT_NEAR(coarse.impulses()[0].missed, 9.0, 1e-12);
  TableImpulses backward(description);
  backward.step(10.0, 4.0);
  EXPECT_NEAR(backward.impulses()[0].missed, 9.0, 1e-12);
  TableImpulses fine(description);
  for (int i = 0; i < 20; ++i) {
    fine.step(5.0 + 0.001 * i, 5.0 + 0.001 * (i + 1));
  }
  EXPECT_NEAR(fine.impulses()[0].whole, 9.0, 1e-9);
  EXPECT_LT(fine.impulses()[0].missed, 1e-9);
}

class TablePulseTest : public SimulateCommandTest {};

TEST_F(TablePulseTest, ARunThatStepsOverItIsInaccurate) {
  const auto file = directory_ / "pulse.toml";
  std::ofstream(file) << R"toml(name = "pulse"
gravity = [0.0, 0.0, 0.0]
[[bodies]]
name = "b"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
[[joints]]
name = "x"
type = "prismatic"
b = "b"
axis = [1.0, 0.0, 0.0]
[[joint_loads]]
name = "pulse"
joint = "x"
law = {over = "t", x = [0.0, 5.003, 5.004, 5.012, 5.013, 10.0], y = [0.0, 0.0, 1000.0, 1000.0, 0.0, 0.0]}
)toml";
  const CommandLineCall over = simulate("over", {"-m", file.string(), "-f", "dense", "-t", "10"});
  EXPECT_EQ(over.exit_code, 1) << over.output;
  EXPECT_TRUE(says(over, "the table of load 'pulse' changes within the steps")) << over.errors;
  const nlohmann::json table = statistics("over").at("tables_over_time").at(0);
  EXPECT_EQ(table.at("load"), "pulse");
  EXPECT_NEAR(table.at("impulse"), 9.0, 1e-9);
  EXPECT_GT(table.at("missed"), 0.9);
  const CommandLineCall met = simulate("met", {"-m", file.string(), "-f", "dense", "-t", "10", "--max-step", "0.004"});
  EXPECT_EQ(met.exit_code, 0) << met.errors;
  // 9 N s on 1 kg from the middle of the pulse on.
  EXPECT_NEAR(state("met").q[0], 9.0 * (10.0 - 5.008), 1e-3);
}

}  // namespace
}  // namespace mbdbench
