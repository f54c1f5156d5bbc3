/// \file
/// What fails is told by the exit code too, whatever stands in a table.
#include <fstream>

#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

/// A formulation whose right-hand side fails.
Registries with_failing() {
  Registries registries = default_registries();
  FormulationEntry failing = *find_formulation(registries.formulations, "aba");
  failing.key = "failing";
  failing.refusal = [](const Mechanism& /*mechanism*/) { return std::string(); };
  failing.make = [](const Mechanism& /*mechanism*/, const Parameters& /*options*/,
                    const Execution& /*execution*/) -> std::unique_ptr<Formulation> {
    throw std::runtime_error("it cannot be made");
  };
  registries.formulations.push_back(failing);
  return registries;
}

class ExitCodeTest : public SimulateCommandTest {
 protected:
  [[nodiscard]] CommandLineCall study(const std::string& text, const std::vector<std::string>& more) const {
    std::ofstream(directory_ / "study.toml") << text;
    std::vector<std::string> arguments = {"study", (directory_ / "study.toml").string(), "--quiet", "-o",
                                          (directory_ / "run").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call_program(with_failing(), arguments);
  }
};

TEST_F(ExitCodeTest, AStudyOfTimesThatFailFails) {
  const CommandLineCall call = study(
      "name = \"times\"\nmechanisms = [\"pendulum:2\"]\nend = 0.1\nintegrators = [\"ode45\"]\ntolerances = [1e-4]\n"
      "observe = [\"wall_time\"]\n[variants]\n\"F\" = \"failing\"\n",
      {"--no-report"});
  EXPECT_EQ(call.exit_code, 1) << call.output;
  EXPECT_TRUE(says(call, "it cannot be made")) << call.output;
  EXPECT_TRUE(says(call, "1 times: 1 failed")) << call.output;
}

TEST_F(ExitCodeTest, AStudyOfTimesAloneHasThem) {
  const CommandLineCall call = study(
      "name = \"times\"\nmechanisms = [\"pendulum:2\"]\nend = 0.1\nintegrators = [\"ode45\"]\ntolerances = [1e-4]\n"
      "repetitions = 1\nobserve = [\"wall_time\"]\n[variants]\n\"ABA\" = \"aba\"\n",
      {"--no-report"});
  EXPECT_EQ(call.exit_code, 0) << call.output;
  EXPECT_FALSE(says(call, "refused")) << call.output;
}

TEST_F(ExitCodeTest, AStudyWithoutOneNumberFails) {
  const CommandLineCall call = study(
      "name = \"refused\"\nmechanisms = [\"four_bar\"]\nend = 0.1\nintegrators = [\"ode45\"]\ntolerances = [1e-4]\n"
      "observe = [\"evaluations\"]\n[variants]\n\"ABA\" = \"aba\"\n",
      {"--no-report"});
  EXPECT_EQ(call.exit_code, 1) << call.output;
  EXPECT_TRUE(says(call, "not one number was measured")) << call.errors;
}

TEST_F(ExitCodeTest, NamesBecomeFilesInTheFolderAndNowhereElse) {
  const std::string study_text =
      "name = \"small\"\nmechanisms = [\"pendulum:2\"]\nend = 0.1\nintegrators = [\"ode45\"]\ntolerances = [1e-4]\n"
      "observe = [\"evaluations\"]\n[variants]\n\"DCA\" = \"dca\"\n";
  for (const char* const name : {"../../x", "a/b", "", ".", "a b", "a\\u0000b"}) {
    const CommandLineCall table =
        study(study_text + "[[tables]]\nname = \"" + name + "\"\ntitle = \"t\"\nobserve = [\"evaluations\"]\n",
              {"--no-report"});
    EXPECT_EQ(table.exit_code, 2) << name;
    // A NUL does not get as far as the name.
    EXPECT_TRUE(says(table, "name") || says(table, "control character")) << table.errors;
    const CommandLineCall figure =
        study(study_text + "[[figures]]\nname = \"" + name + "\"\ntitle = \"t\"\ncurves = [\"energy_error\"]\n",
              {"--no-report"});
    EXPECT_EQ(figure.exit_code, 2) << name;
  }
  const std::string table = "[[tables]]\nname = \"one\"\ntitle = \"t\"\nobserve = [\"evaluations\"]\n";
  EXPECT_EQ(study(study_text + table, {"--no-report"}).exit_code, 0);
  EXPECT_EQ(study(study_text + table + table, {"--no-report"}).exit_code, 2) << "one file for two tables";
}

}  // namespace
}  // namespace mbdbench
