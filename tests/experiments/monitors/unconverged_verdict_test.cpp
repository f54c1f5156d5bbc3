// Iterations that have not converged make a run inaccurate, whatever its residuals and its energy are.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

class UnconvergedVerdictTest : public SimulateCommandTest {};

TEST_F(UnconvergedVerdictTest, OnePassIsNotEnoughAndTwoAre) {
  const auto run = [this](const std::string& passes, const std::string& name) {
    return simulate(name, {"-m", "five_bar", "-f", "dca-alm[iterations=" + passes + "]", "-t", "0.5"});
  };
  const CommandLineCall one = run("1", "one");
  EXPECT_EQ(one.exit_code, 1) << one.output;
  EXPECT_TRUE(says(one, "an iteration ended where the accelerations missed about")) << one.errors;
  const nlohmann::json judged = statistics("one");
  EXPECT_EQ(judged.at("status"), "inaccurate");
  // Nothing else is beyond its limit: the passes alone make the verdict.
  EXPECT_LE(judged.at("energy").at("largest_imbalance"), judged.at("energy").at("limit"));
  EXPECT_LE(judged.at("constraints").at("largest_position_residual"), judged.at("constraints").at("position_limit"));
  EXPECT_LE(judged.at("constraints").at("largest_velocity_residual"), judged.at("constraints").at("velocity_limit"));
  EXPECT_FALSE(says(one, "--max-drift")) << one.errors;
  // With two the last change is below 100 tol.
  const CommandLineCall two = run("2", "two");
  EXPECT_EQ(two.exit_code, 0) << two.errors;
  EXPECT_EQ(statistics("two").at("status"), "ok");
}

// Passes that hardly move have not arrived: two ball joints 10 um apart in a body of 1 m, 1e-4 a pass.
TEST_F(UnconvergedVerdictTest, SlowPassesAreNotTakenForTheLast) {
  const auto file = directory_ / "balls.toml";
  std::ofstream(file) << R"toml(name = "balls"
[[bodies]]
name = "arm"
mass = 1.0
com = [0.0, -1.0, 0.3]
inertia = [0.2, 0.3, 0.4]
[[joints]]
name = "first"
type = "spherical"
b = "arm"
q0 = [0.8775825618903728, 0.0, 0.0, 0.479425538604203]
v0 = [0.0, 0.0, 2.0]
[[joints]]
name = "second"
type = "point_on_line"
b = "arm"
frame_a = {position = [0.0, 0.0, 1e-05]}
frame_b = {position = [0.0, 0.0, 1e-05]}
axis = [0.0, 0.0, 1.0]
cut = true
)toml";
  const CommandLineCall call = simulate("balls", {"-m", file.string(), "-f", "dca-alm", "-t", "0.2"});
  EXPECT_EQ(call.exit_code, 1) << call.output;
  EXPECT_TRUE(says(call, "an iteration ended where the accelerations missed about")) << call.errors;
  EXPECT_GT(statistics("balls").at("diagnostics").at("unconverged_change").at("largest"), 0.1);
}

// Accelerations that are right to the tolerance, and reactions that nobody would know are not.
TEST_F(UnconvergedVerdictTest, MissingReactionsAreNoted) {
  const CommandLineCall call =
      simulate("missing", {"-m", "random_closed:seed=205351,bodies=13,cuts=3,loads=1", "-f", "dca-alm", "-t", "0.01"});
  EXPECT_EQ(call.exit_code, 0) << call.errors;
  EXPECT_TRUE(says(call, "reactions have not converged")) << call.output << call.errors;
  const nlohmann::json judged = statistics("missing");
  EXPECT_EQ(judged.at("status"), "ok");
  EXPECT_GT(judged.at("diagnostics").at("unconverged_reactions").at("largest"), 1e-6);
  const CommandLineCall more = simulate("more", {"-m", "random_closed:seed=205351,bodies=13,cuts=3,loads=1", "-f",
                                                 "dca-alm[iterations=200]", "-t", "0.01"});
  EXPECT_FALSE(says(more, "reactions have not converged")) << more.output << more.errors;
}

}  // namespace
}  // namespace mbdbench
