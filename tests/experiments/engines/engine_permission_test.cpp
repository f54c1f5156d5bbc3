/// \file
/// What a file names is somebody else's word: nothing of it is started unasked.
#include "experiments/engines/engine_permission.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

class EnginePermissionTest : public SimulateCommandTest {
 protected:
  void SetUp() override { setenv("XDG_CONFIG_HOME", (directory_ / "config").c_str(), 1); }
  void TearDown() override { unsetenv("XDG_CONFIG_HOME"); }

  /// A command that tells that it was started. \param name makes it one that no test has permitted yet
  [[nodiscard]] std::string command(const std::string& name) const {
    return fmt::format("touch {}; false", (directory_ / name).string());
  }
  [[nodiscard]] bool started(const std::string& name) const { return std::filesystem::exists(directory_ / name); }

  [[nodiscard]] CommandLineCall study(const std::string& variant, const std::string& engines,
                                      const std::vector<std::string>& more = {}) const {
    std::ofstream(directory_ / "study.toml") << fmt::format(R"(name = "engines"
mechanisms = ["pendulum:2"]
end = 0.1
integrators = ["ode45"]
tolerances = [1e-4]
observe = ["evaluations"]
failures_allowed = true
[engines]
"other" = "{}"
[variants]
"E" = "{}"
)",
                                                            engines, variant);
    std::vector<std::string> arguments = {"study", (directory_ / "study.toml").string(), "--no-report", "--quiet",
                                          "-o",    (directory_ / "run").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call_program(arguments);
  }
};

TEST_F(EnginePermissionTest, AStudysCommandsAreStartedOnlyWhereAllowed) {
  const CommandLineCall refused = study("other", command("table"));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_FALSE(started("table"));
  EXPECT_TRUE(says(refused, command("table"))) << "the user sees what it wants\n" << refused.errors;
  EXPECT_TRUE(says(refused, "--allow-engines")) << refused.errors;
  EXPECT_FALSE(std::filesystem::exists(directory_ / "run")) << "refused before anything is written";
  const CommandLineCall allowed = study("other", command("table"), {"--allow-engines"});
  EXPECT_TRUE(started("table"));
  EXPECT_TRUE(says(allowed, command("table"))) << "printed before it is started\n" << allowed.output;
}

TEST_F(EnginePermissionTest, AProgramInAVariantIsACommandToo) {
  const CommandLineCall refused = study("other[program=" + command("variant") + "]", "true");
  EXPECT_EQ(refused.exit_code, 2) << refused.errors;
  EXPECT_FALSE(started("variant"));
  EXPECT_TRUE(says(refused, command("variant"))) << refused.errors;
}

TEST_F(EnginePermissionTest, TheUsersOwnListTrustsCommandsForGood) {
  std::filesystem::create_directories(directory_ / "config" / "mbdbench");
  std::ofstream(directory_ / "config" / "mbdbench" / "trusted_engines") << "# mine\n" << command("trusted") << "\n";
  EXPECT_NE(study("other", command("trusted")).exit_code, 2);
  EXPECT_TRUE(started("trusted"));
  EXPECT_EQ(study("other", command("trusted") + " ", {"-o", (directory_ / "other").string()}).exit_code, 2)
      << "to the letter";
}

TEST_F(EnginePermissionTest, ACommandThatCouldHideItselfIsRefused) {
  const CommandLineCall call = study("other", "true \\u001b[2K", {"--allow-engines"});
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_TRUE(says(call, "control character")) << call.errors;
}

TEST_F(EnginePermissionTest, ASavedStateStartsNothing) {
  ASSERT_EQ(simulate_pendulum("run", {"--time", "0.1"}).exit_code, 0);
  nlohmann::json state = nlohmann::json::parse(content_of(directory_ / "run" / "state.json"));
  state["formulation"] = "other";
  state["formulation_options"] = "program=" + command("state");
  std::ofstream(directory_ / "run" / "state.json") << state;
  const std::string file = (directory_ / "run" / "state.json").string();
  const CommandLineCall restart = call_program({"--engine", "other=true", "simulate", "--restart", file, "--time", "1",
                                                "--quiet", "-o", (directory_ / "more").string()});
  EXPECT_EQ(restart.exit_code, 2) << restart.output;
  const CommandLineCall drawn =
      call_program({"--engine", "other=true", "draw", "--motion", (directory_ / "run").string()});
  EXPECT_EQ(drawn.exit_code, 2) << drawn.output;
  EXPECT_FALSE(started("state"));
}

TEST_F(EnginePermissionTest, WhatTheUserTypesIsStarted) {
  call_program({"--engine", "other=" + command("typed"), "verify", "-m", "pendulum:2", "-f", "other", "--quiet"});
  EXPECT_TRUE(started("typed"));
  call_program({"--engine", "other=true", "verify", "-m", "pendulum:2", "-f",
                "other[program=" + command("option") + "]", "--quiet"});
  EXPECT_TRUE(started("option"));
}

}  // namespace
}  // namespace mbdbench
