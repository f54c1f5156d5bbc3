/// \file
/// What `mbdbench simulate` calls ok, what it does not, and runs that would not end.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <vector>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/monitors/endless_run.hpp"
#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

class SimulateStatusTest : public SimulateCommandTest {};

TEST_F(SimulateStatusTest, RightRunsAreOkAndSayHowRightTheyAre) {
  for (const std::string mechanism : {"pendulum:3", "four_bar", "slider_crank", "random_tree", "biped"}) {
    for (const std::string tolerance : {"1e-4", "1e-6", "1e-8"}) {
      SCOPED_TRACE(mechanism + " " + tolerance);
      const CommandLineCall run = simulate("run", {"-m", mechanism, "-f", "dense", "-t", "0.8", "--rtol", tolerance,
                                                   "--atol", tolerance, "--overwrite"});
      EXPECT_EQ(run.exit_code, 0) << run.errors;
      const nlohmann::json json = statistics("run");
      EXPECT_EQ(json.at("status"), "ok");
      EXPECT_LE(json.at("energy").at("largest_imbalance"), json.at("energy").at("limit"));
      EXPECT_LE(json.at("constraints").at("largest_position_residual"), json.at("constraints").at("position_limit"));
      // A limit that allows a tenth of everything at 1e-6 says nothing.
      EXPECT_LT(json.at("energy").at("limit").get<double>(),
                1e5 * std::stod(tolerance) * json.at("energy").at("scale").get<double>());
    }
  }
}

TEST_F(SimulateStatusTest, ARunBeyondItsLimitsIsInaccurate) {
  const std::vector<std::string> coarse = {"-m",   "four_bar", "-f",  "dca[projection=off]", "-t", "20", "--rtol",
                                           "1e-3", "--atol",   "1e-3"};
  const auto with = [&](std::initializer_list<std::string> more) {
    std::vector<std::string> all = coarse;
    all.insert(all.end(), more);
    return all;
  };
  // A loop that has opened by 0.6 of the length of its links, and lost a third of its energy.
  const CommandLineCall run = simulate("run", coarse);
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(says(run, "largest position residual")) << run.errors;
  EXPECT_TRUE(says(run, "--max-energy-error")) << run.errors;
  EXPECT_EQ(statistics("run").at("status"), "inaccurate");
  EXPECT_EQ(statistics("run").at("t_end"), 20.0);
  EXPECT_EQ(simulate("accepted", with({"--accept"})).exit_code, 0);
  EXPECT_EQ(statistics("accepted").at("status"), "inaccurate");
  EXPECT_EQ(simulate("wide", with({"--max-drift", "1", "--max-energy-error", "100"})).exit_code, 0);
  EXPECT_EQ(statistics("wide").at("status"), "ok");
  EXPECT_EQ(simulate_pendulum("tight", {"-t", "1", "--max-energy-error", "1e-12"}).exit_code, 1);
}

// Not "xdot[1]": the load that has no value, and the component that got it.
TEST_F(SimulateStatusTest, AFailureNamesJointComponentAndLoad) {
  const auto file = directory_ / "push.toml";
  const auto pushed = [&](const std::string& law) {
    std::ofstream(file) << "name = \"pushed\"\n[[bodies]]\nname = \"bob\"\nmass = 1.0\ninertia = [1.0, 1.0, 1.0]\n"
                           "[[joints]]\nname = \"hinge\"\ntype = \"revolute\"\nb = \"bob\"\n"
                           "[[joint_loads]]\nname = \"push\"\njoint = \"hinge\"\nlaw = \""
                        << law << "\"\n";
    return simulate("run", {"-m", file.string(), "-f", "dense", "-t", "2", "--overwrite"});
  };
  const CommandLineCall run = pushed("sqrt(1 - t)");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(says(run, "the rate of 'v.hinge' (joint 'hinge'; load 'push' ('sqrt(1 - t)') gives no finite number"))
      << run.errors;
  EXPECT_EQ(statistics("run").at("status"), "not_finite");
  // A long formula is cut short.
  std::string law = "sqrt(1 - t)";
  for (int i = 0; i < 100; ++i) {
    law += " + 0 * t";
  }
  const CommandLineCall lengthy = pushed(law);
  EXPECT_TRUE(says(lengthy, "load 'push' ('sqrt(1 - t) + 0 * t")) << lengthy.errors;
  EXPECT_LT(lengthy.errors.size(), 600U) << lengthy.errors;
  const CommandLineCall unreadable = pushed(law + " + nonsense");
  EXPECT_EQ(unreadable.exit_code, 2);
  EXPECT_LT(unreadable.errors.size(), 600U) << unreadable.errors;
}

// Through a singular position the augmented Lagrangian without projections ends up elsewhere: rank.md's "never ok and
// wrong".
TEST_F(SimulateStatusTest, ASingularPassageThatWentWrongIsNotOk) {
  const CommandLineCall run = simulate("run", {"-m", "coupled_loops", "-f", "dca-alm", "-t", "4"});
  EXPECT_EQ(run.exit_code, 1) << run.output;
  EXPECT_EQ(statistics("run").at("status"), "inaccurate");
}

/// A mass on a slider under a load that follows a formula.
std::string loaded_slider(const std::string& formula) {
  return R"toml(name = "loaded slider"
gravity = [0.0, 0.0, 0.0]
[[bodies]]
name = "mass"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
[[joints]]
name = "slider"
type = "prismatic"
a = "ground"
b = "mass"
axis = [1.0, 0.0, 0.0]
q0 = [1.0]
[[joint_loads]]
name = "push"
joint = "slider"
law = ")toml" +
         formula + "\"\n";
}

TEST_F(SimulateStatusTest, ARunThatWouldNotEndIsStoppedAndNamesWhatHoldsIt) {
  replace_file(directory_ / "stiff.toml", loaded_slider("-1e15*q"));
  const std::vector<std::string> stiff = {"-m", (directory_ / "stiff.toml").string(), "-f", "aba", "-t", "10"};
  const CommandLineCall run = simulate("run", stiff);
  EXPECT_EQ(run.exit_code, 1);
  for (const char* const part :
       {"would not end", "(joint or body 'slider')", "load 'push' ('-1e15*q')", "--max-evaluations"}) {
    EXPECT_TRUE(says(run, part)) << part << run.errors;
  }
  EXPECT_EQ(statistics("run").at("status"), "endless");
  EXPECT_LT(statistics("run").at("nfevals"), 50'000);
  // The user's own limit takes its place.
  std::vector<std::string> limited = stiff;
  limited.insert(limited.end(), {"--max-evaluations", "30000"});
  EXPECT_EQ(simulate("limited", limited).exit_code, 1);
  EXPECT_EQ(statistics("limited").at("status"), "evaluation_limit");
}

TEST_F(SimulateStatusTest, ALoadThatExplodesEndsTheRun) {
  replace_file(directory_ / "explosive.toml", loaded_slider("exp(exp(exp(10*t)))"));
  const CommandLineCall run =
      simulate("run", {"-m", (directory_ / "explosive.toml").string(), "-f", "aba", "-t", "10"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_LT(statistics("run").at("nfevals"), 100'000);
}

TEST(RestartNoteTest, IsGivenAfterEveryThousandRestartsOfAMultistepMethodOnly) {
  const auto notes = [](const char* integrator, int steps_between, double change) {
    OdeOptions tolerances;
    tolerances.relative_tolerance = 1e-6;
    RestartNote note(integrator, tolerances);
    testing::internal::CaptureStderr();
    OdeStatistics statistics;
    for (int i = 0; i < 2500; ++i) {
      statistics.nsteps += static_cast<std::size_t>(steps_between);
      note.reached(std::array{0.5});
      note.step(0.1 * i, std::array{0.5 + change}, statistics);
    }
    const std::string text = testing::internal::GetCapturedStderr();
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(notes("cvode-bdf", 1, 1e-4), 2);
  EXPECT_EQ(notes("ode45", 1, 1e-4), 0);
  EXPECT_EQ(notes("cvode-bdf", 1, 1e-7), 0) << "a small change moves the history along";
  EXPECT_EQ(notes("cvode-bdf", 10, 1e-4), 0) << "one step in ten is no nuisance";
}

}  // namespace
}  // namespace mbdbench
