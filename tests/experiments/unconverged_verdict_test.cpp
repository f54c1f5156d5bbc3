// Iterations that have not converged make a run inaccurate, whatever its residuals and its energy are.
#include <gtest/gtest.h>

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
  EXPECT_TRUE(says(one, "the last pass of an iteration changed the accelerations by")) << one.errors;
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
