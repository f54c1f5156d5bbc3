/// \file
/// `mbdbench equilibrium --turning`: files that simulate and linearise take, what is no steady motion, messages.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/files/formats/csv_file.hpp"
#include "mechanisms/io/mechanism_reader.hpp"
#include "mechanisms/io/mechanism_writer.hpp"
#include "tests/experiments/equilibria/turning_mechanisms.hpp"
#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

const std::string kExamples = std::string(MBDBENCH_SOURCE_DIR) + "/examples/mechanisms/";

using Complex = std::complex<double>;

class TurningCommand : public SimulateCommandTest {
 protected:
  [[nodiscard]] std::string file(const std::string& name) const { return (directory_ / name).string(); }
  /// \returns the name of a file of the mechanism.
  [[nodiscard]] std::string written(const MechanismDescription& description) const {
    std::string name = file("mechanism.toml");
    replace_file(name, write_mechanism(description));
    return name;
  }
  [[nodiscard]] std::vector<Complex> eigenvalues(const std::string& folder) const {
    std::vector<Complex> values;
    const CsvTable table = read_csv(directory_ / folder / "eigenvalues.csv");
    for (const std::vector<std::string>& row : table.rows) {
      values.emplace_back(std::stod(row[0]), std::stod(row[1]));
    }
    return values;
  }
  void expect_refused(const std::vector<std::string>& arguments, int code, const std::string& words) const {
    const CommandLineCall call = call_program(arguments);
    EXPECT_EQ(call.exit_code, code) << call.output << call.errors;
    EXPECT_NE(call.errors.find(words), std::string::npos) << call.errors;
  }
};

// By itself and driven, on trees and loops, with quaternions and what rolls: `linearise` has the same eigenvalues and
// zeros for the coordinates that go on, and the motion that is simulated keeps its velocities.
TEST_F(TurningCommand, WhatIsFoundIsSteady) {
  struct Case {
    std::string name;
    std::string mechanism;
    std::vector<std::string> turning;
    std::string formulation;
  };
  test::SpindlePendulum hoop;
  hoop.spindle = 0.3;
  MechanismDescription driven = hoop.description();
  driven.joints[0].motions = {test::constant_speed(5.0)};
  replace_file(file("hoop.toml"), write_mechanism(driven));
  replace_file(file("top.toml"), write_mechanism(test::Top().on_ball_joint()));
  const std::vector<Case> cases = {
      {"governor", kExamples + "governor.toml", {"--turning", "spindle=12"}, "dense"},
      {"hoop", file("hoop.toml"), {}, "aba"},
      {"top", file("top.toml"), {"--turning", "ball.3=250"}, "aba"},
      {"bicycle", kExamples + "bicycle.toml", {"--turning", "ride.4=5", "--nearest"}, "dense"}};
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    std::vector<std::string> arguments = {"equilibrium", "-m", each.mechanism, "-o", file(each.name)};
    arguments.insert(arguments.end(), each.turning.begin(), each.turning.end());
    const CommandLineCall call = call_program(arguments);
    ASSERT_EQ(call.exit_code, 0) << call.errors;
    EXPECT_TRUE(says(call, " steady motion after ")) << call.output;
    const std::string found = file(each.name) + "/mechanism.toml";

    const CommandLineCall linear =
        call_program({"linearise", "-m", found, "-f", each.formulation, "-o", file(each.name + "_linear")});
    ASSERT_EQ(linear.exit_code, 0) << linear.errors;
    EXPECT_FALSE(says(linear, "note")) << linear.output;
    std::vector<Complex> left = eigenvalues(each.name + "_linear");
    for (const Complex value : eigenvalues(each.name)) {
      const auto nearest = std::min_element(left.begin(), left.end(), [value](const Complex& a, const Complex& b) {
        return std::abs(a - value) < std::abs(b - value);
      });
      ASSERT_NE(nearest, left.end());
      // Of multiple zeros, three that share a direction where a bicycle's heading leads it off, rounding leaves a root.
      const double limit = std::abs(value) < 1e-2 ? 1e-3 : 1e-7 * std::abs(value);
      EXPECT_LT(std::abs(*nearest - value), limit) << *nearest << " for " << value;
      left.erase(nearest);
    }
    for (const Complex& value : left) {
      EXPECT_LT(std::abs(value), 1e-3) << value;
    }

    // The bicycle's weave dies out; a top that sleeps and a pendulum without friction stay near.
    ASSERT_EQ(simulate(each.name + "_run",
                       {"-m", found, "-f", each.formulation, "-t", "2", "--rtol", "1e-10", "--atol", "1e-10"})
                  .exit_code,
              0);
    const Mechanism mechanism = load_mechanism(found);
    const SavedState end = state(each.name + "_run");
    for (int i = 0; i < mechanism.u_size(); ++i) {
      EXPECT_NEAR(end.x[static_cast<std::size_t>(mechanism.q_size() + i)], mechanism.u0()[i], 1e-6) << i;
    }
  }
}

TEST_F(TurningCommand, FilesTellTheRates) {
  const std::string output = file("cone");
  const CommandLineCall call = call_program(
      {"equilibrium", "-m", written(test::SpindlePendulum().description()), "--turning", "spindle=5", "-o", output});
  ASSERT_EQ(call.exit_code, 0) << call.errors;
  EXPECT_TRUE(says(call, "marginal steady motion after")) << call.output;
  EXPECT_TRUE(says(call, "v.spindle")) << call.output;
  const auto told = nlohmann::json::parse(content_of(output + "/equilibrium.json"));
  EXPECT_EQ(told["rates"], nlohmann::json({{"v.spindle", 5.0}}));
  EXPECT_EQ(told["stability"], "marginal");
  const CsvTable values = read_csv(output + "/equilibrium.csv");
  ASSERT_EQ(values.rows.size(), 3U);
  EXPECT_EQ(values.rows[2][0], "v.spindle");
  for (const char* const name : {"derivatives.npy", "eigenvalues.csv", "modes_real.npy", "modes.html"}) {
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(output) / name)) << name;
  }
  // A rate of zero is rest.
  test::SpindlePendulum heavy;
  heavy.spindle = 0.3;
  const CommandLineCall rest =
      call_program({"equilibrium", "-m", written(heavy.description()), "--turning", "spindle=0"});
  EXPECT_EQ(rest.exit_code, 0) << rest.errors;
}

TEST_F(TurningCommand, WhatIsNotSteadyIsSaid) {
  // At its start, and where it would not accelerate for an instant.
  expect_refused({"equilibrium", "-m", "pendulum:1", "--turning", "joint1=5"}, 1,
                 "v.joint1 changes by 3.924 a second: forces depend on the coordinates that go on");
  expect_refused({"equilibrium", "-m", "four_bar:angle=0.3", "--turning", "joint1=5"}, 1,
                 "the constraints do not let all velocities stay as they are");
  expect_refused({"equilibrium", "-m", "pendulum:1", "--turning", "joint1=5", "--set", "q.joint1=1.2"}, 1,
                 "it does not last, after 0.14 s v.joint1 changes by");
  MechanismDescription braked = test::rotor(0.5);
  braked.joint_springs = {{.name = "bearing", .joint = "axle", .damping = 0.25}};
  expect_refused(
      {"equilibrium", "-m", written(braked), "--turning", "axle=10"}, 1,
      "v.axle changes by -5 a second: no force keeps its rate; drive the joint by a torque or a prescribed motion");
  // A linearised motion that passes there is told so, too.
  const CommandLineCall passing =
      call_program({"linearise", "-m", "pendulum:1", "--set", "q.joint1=1.5707963267948966", "--set", "v.joint1=2"});
  EXPECT_TRUE(says(passing, "this is no equilibrium: q.joint1 changes by 2 a second")) << passing.output;
}

TEST_F(TurningCommand, DrivesMustBeSteadyAndLoadsMustNotKnowTheTime) {
  expect_refused({"equilibrium", "-m", kExamples + "turntable.toml"}, 2,
                 "prescribed motion of joint 'drive' is not one of constant speed");
  test::SpindlePendulum hoop;
  hoop.spindle = 0.3;
  MechanismDescription driven = hoop.description();
  driven.joints[0].motions = {test::constant_speed(5.0)};
  expect_refused({"equilibrium", "-m", written(driven), "--time", "1"}, 2, "leave out --time");
  driven.joint_loads = {{.name = "push", .joint = "swing", .law = ExpressionLaw{"0.1*sin(3*t)"}}};
  expect_refused({"equilibrium", "-m", written(driven)}, 1, "or on time");
  // A motion that stands still leaves a rest.
  driven.joint_loads.clear();
  driven.joints[0].motions = {test::constant_speed(0.0)};
  const CommandLineCall rest = call_program({"equilibrium", "-m", written(driven)});
  EXPECT_EQ(rest.exit_code, 0) << rest.errors;
  // Time goes on where nothing is driven, and where nothing turns.
  driven.joint_loads = {{.name = "push", .joint = "swing", .law = ExpressionLaw{"5*sin(t)"}}};
  expect_refused({"equilibrium", "-m", written(driven)}, 1, "or on time");
  MechanismDescription turning = hoop.description();
  turning.joint_loads = {{.name = "push", .joint = turning.joints[0].name, .law = ExpressionLaw{"sin(t)"}}};
  expect_refused({"equilibrium", "-m", written(turning), "--turning", turning.joints[0].name + "=5"}, 1, "or on time");
}

/// Below its critical speed the arms hang down, in line with their links: branches meet there.
TEST_F(TurningCommand, AGovernorThatHangsIsSingularAtAnySpeed) {
  for (const char* const speed : {"0", "1", "4", "5", "6", "8"}) {
    const CommandLineCall call =
        call_program({"equilibrium", "-m", kExamples + "governor.toml", "--turning", fmt::format("spindle={}", speed)});
    EXPECT_EQ(call.exit_code, 0) << speed << ": " << call.errors;
    EXPECT_NE(call.output.find("singular position"), std::string::npos) << speed << ": " << call.output;
  }
}

TEST_F(TurningCommand, BadInputIsNamed) {
  const std::string governor = kExamples + "governor.toml";
  expect_refused({"equilibrium", "-m", governor, "--turning", "spindel=5"}, 2,
                 "has no velocity 'spindel'; did you mean \"spindle\"?");
  expect_refused({"equilibrium", "-m", governor, "--turning", "spindle=fast"}, 2, "fast");
  expect_refused({"equilibrium", "-m", governor, "--turning", "spindle=nan"}, 2, "nan");
  expect_refused({"equilibrium", "-m", governor, "--turning", "spindle="}, 2, "--turning");
  expect_refused({"equilibrium", "-m", governor, "--turning", "spindle=1", "--turning", "spindle=2"}, 2,
                 "'spindle' stands twice");
  // A cut joint has no velocity of its own.
  expect_refused({"equilibrium", "-m", governor, "--turning", "pin1=1"}, 2, "has no velocity 'pin1'");
}

}  // namespace
}  // namespace mbdbench
