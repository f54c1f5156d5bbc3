/// \file
/// Mechanisms without freedom in every command: bodies that are welded, loops that lock, joints that are all driven.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "experiments/files/formats/csv_file.hpp"
#include "formulations/registry.hpp"
#include "integrators/registry.hpp"
#include "mechanisms/io/mechanism_reader.hpp"
#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

constexpr const char* kWeld = R"(name = "weld"
[[bodies]]
name = "first"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[[bodies]]
name = "second"
mass = 2.0
inertia = [1.0, 1.0, 1.0]
[[joints]]
name = "one"
type = "fixed"
b = "first"
frame_a = {position = [1.0, 0.0, 0.0]}
[[joints]]
name = "two"
type = "fixed"
a = "first"
b = "second"
frame_a = {position = [0.0, 1.0, 0.0]}
)";
constexpr const char* kTwice = R"([[joints]]
name = "three"
type = "fixed"
b = "second"
frame_a = {position = [1.0, 1.0, 0.0]}
)";
constexpr const char* kLocked = R"(name = "locked"
[[bodies]]
name = "left"
mass = 1.0
com = [0.5, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]
[[bodies]]
name = "right"
mass = 1.0
com = [0.5, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]
[[joints]]
name = "p"
type = "revolute"
axis = [0.0, 1.0, 0.0]
b = "left"
q0 = [-0.9272952180016122]
[[joints]]
name = "q"
type = "revolute"
axis = [0.0, 1.0, 0.0]
b = "right"
frame_a = {position = [1.2, 0.0, 0.0]}
q0 = [-2.214297435588181]
[[joints]]
name = "r"
type = "revolute"
axis = [0.0, 1.0, 0.0]
a = "left"
b = "right"
frame_a = {position = [1.0, 0.0, 0.0]}
frame_b = {position = [1.0, 0.0, 0.0]}
cut = true
)";
constexpr const char* kDriven = R"toml(name = "driven"
[[bodies]]
name = "arm"
mass = 1.0
com = [0.5, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]
[[joints]]
name = "p"
type = "revolute"
axis = [0.0, 1.0, 0.0]
b = "arm"
motions = [{position = "sin(t)"}]
)toml";

class NoFreedom : public SimulateCommandTest {
 protected:
  /// Writes each and calls with its file and its mechanism.
  template <class Function>
  void for_each(const Function& function) {
    for (const std::string& text :
         {std::string(kWeld), std::string(kWeld) + kTwice, std::string(kLocked), std::string(kDriven)}) {
      const std::string file = (directory_ / "still.toml").string();
      replace_file(file, text);
      function(file, load_mechanism(text, "still.toml"));
    }
  }
};

TEST_F(NoFreedom, EveryFormulationRunsWithReactions) {
  for_each([&](const std::string& file, const Mechanism& mechanism) {
    for (const FormulationEntry& entry : formulation_registry()) {
      if (!refusal_of(entry, mechanism).empty()) {
        continue;
      }
      const CommandLineCall run =
          simulate("run", {"-m", file, "-f", std::string(entry.key), "-t", "0:0.25:1", "--reactions", "--overwrite"});
      EXPECT_EQ(run.exit_code, 0) << mechanism.name() << " " << entry.key << ": " << run.errors;
      EXPECT_EQ(statistics("run")["status"], "ok") << mechanism.name() << " " << entry.key;
      EXPECT_EQ(statistics("run")["samples"], 5) << mechanism.name() << " " << entry.key;
    }
  });
}

TEST_F(NoFreedom, EveryIntegratorRuns) {
  for_each([&](const std::string& file, const Mechanism& mechanism) {
    for (const OdeEntry& entry : integrator_registry()) {
      if (entry.needs_separable) {
        continue;
      }
      std::vector<std::string> arguments = {"-m", file,       "-f",         "dense", "-i", std::string(entry.key),
                                            "-t", "0:0.25:1", "--overwrite"};
      if (!entry.adaptive) {
        arguments.insert(arguments.end(), {"--fixed-step", "0.05"});
      }
      const CommandLineCall run = simulate("run", arguments);
      EXPECT_EQ(run.exit_code, 0) << mechanism.name() << " " << entry.key << ": " << run.errors;
    }
  });
}

TEST_F(NoFreedom, TheWeightIsInTheReactions) {
  replace_file(directory_ / "weld.toml", kWeld);
  ASSERT_EQ(
      simulate("run", {"-m", (directory_ / "weld.toml").string(), "-f", "dense", "-t", "1", "--reactions"}).exit_code,
      0);
  const CsvTable table = read_csv(directory_ / "run" / "trajectory.csv");
  const auto column = std::find(table.columns.begin(), table.columns.end(), "fz_one") - table.columns.begin();
  ASSERT_LT(column, static_cast<std::ptrdiff_t>(table.columns.size()));
  EXPECT_NEAR(std::stod(table.rows.back()[static_cast<std::size_t>(column)]), 3.0 * 9.81, 1e-12);
}

TEST_F(NoFreedom, EveryOtherCommandTakesThem) {
  for_each([&](const std::string& file, const Mechanism& mechanism) {
    const auto path = [&](const char* name) { return (directory_ / name).string(); };
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"inspect", file},
                                                      {"verify", "-m", file},
                                                      {"bench", "-m", file, "--repetitions", "1"},
                                                      {"draw", "-m", file, "-o", path("still.svg"), "--overwrite"},
                                                      {"matrices", "-m", file, "-o", path("matrices"), "--overwrite"},
                                                      {"export", "-m", file}}) {
      const CommandLineCall call = call_program(arguments);
      EXPECT_EQ(call.exit_code, 0) << mechanism.name() << " " << arguments.front() << ": " << call.errors;
    }
    // A run is taken up again where it ended.
    ASSERT_EQ(simulate("run", {"-m", file, "-f", "dense", "-t", "1", "--overwrite"}).exit_code, 0);
    const CommandLineCall again = simulate("on", {"--restart", path("run/state.json"), "-t", "2", "--overwrite"});
    EXPECT_EQ(again.exit_code, 0) << mechanism.name() << ": " << again.errors;
  });
}

}  // namespace
}  // namespace mbdbench
