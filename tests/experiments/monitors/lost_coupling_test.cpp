/// \file
/// Couplings with small factors: a formulation that cannot tell two of them apart says so, and a gear's slow side does
/// not cost its fast side the digits.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

/// Two rotors on one nut of 10 g with a lead of 1 mm: A turns B as fast as itself. The rows differ by the rotors'
/// share, factor^2 mass / inertia = 3e-13 of the nut's.
constexpr const char* kNut = R"toml(gravity = [0.0, 0.0, 0.0]
[[bodies]]
name = "A"
mass = 1.0
inertia = [1000.0, 1000.0, 1000.0]
[[bodies]]
name = "B"
mass = 1.0
inertia = [1000.0, 1000.0, 1000.0]
[[bodies]]
name = "nut"
mass = 0.01
inertia = [1.0, 1.0, 1.0]
[[joints]]
name = "A"
type = "revolute"
b = "A"
[[joints]]
name = "nut"
type = "prismatic"
b = "nut"
[[joints]]
name = "B"
type = "revolute"
b = "B"
frame_a = {position = [1.0, 0.0, 0.0]}
[[couplings]]
name = "lead_A"
terms = [{joint = "nut", factor = 1.0}, {joint = "A", factor = -1.6e-4}]
[[couplings]]
name = "lead_B"
terms = [{joint = "nut", factor = 1.0}, {joint = "B", factor = -1.6e-4}]
[[joint_loads]]
name = "torque"
joint = "A"
law = 2000.0
)toml";

/// A rotor with a torque of 2 N m and 1 kg m^2, and another that turns 1e8 times as slowly.
constexpr const char* kGear = R"toml(gravity = [0.0, 0.0, 0.0]
[[bodies]]
name = "fast"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[[bodies]]
name = "slow"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[[joints]]
name = "fast"
type = "revolute"
b = "fast"
[[joints]]
name = "slow"
type = "revolute"
b = "slow"
[[couplings]]
name = "gear"
terms = [{joint = "slow", factor = 1.0}, {joint = "fast", factor = -1e-8}]
[[joint_loads]]
name = "torque"
joint = "fast"
law = 2.0
)toml";

class LostCouplingTest : public SimulateCommandTest {
 protected:
  CommandLineCall run(const std::string& name, const std::string& text, const std::string& formulation) const {
    const auto file = directory_ / (name + ".toml");
    std::ofstream(file) << "name = \"" << name << "\"\n" << text;
    return simulate(formulation, {"-m", file.string(), "-f", formulation, "-t", "0:0.5:1"});
  }
};

TEST_F(LostCouplingTest, ACouplingThatAFormulationLosesIsTold) {
  for (const char* formulation : {"hdca", "dca", "bae-haug", "naudet", "naudet-acc"}) {
    const CommandLineCall call = run("nut", kNut, formulation);
    EXPECT_EQ(call.exit_code, 1) << formulation << call.output;
    EXPECT_TRUE(says(call, "the joints of coupling 'lead_")) << formulation << call.errors;
    EXPECT_EQ(statistics(formulation).at("status"), "inaccurate") << formulation;
    const nlohmann::json lead = statistics(formulation).at("constraints").at("couplings").at("lead_A");
    EXPECT_GT(lead.at("largest_rate_residual"), 0.1 * lead.at("largest_rate_of_a_term").get<double>()) << formulation;
  }
  const CommandLineCall call = run("nut", kNut, "dense");
  EXPECT_EQ(call.exit_code, 0) << call.errors;
  // 2000 N m on 2000 kg m^2 for a second.
  EXPECT_NEAR(state("dense").x.back(), 1.0, 1e-3);
}

TEST_F(LostCouplingTest, TheFastSideOfAGearIsIntegrated) {
  for (const char* formulation : {"dense", "naudet", "naudet-reduced", "naudet-acc", "naudet-acc-reduced"}) {
    const CommandLineCall call = run("gear", kGear, formulation);
    EXPECT_EQ(call.exit_code, 0) << formulation << call.errors;
    // q = t^2 of a constant acceleration of 2 rad/s^2, to ten times the tolerance of 1e-6.
    EXPECT_NEAR(state(formulation).x.front(), 1.0, 1e-5) << formulation;
  }
}

}  // namespace
}  // namespace mbdbench
