/// \file
/// Commands that do their work at once: nothing is claimed, removed or begun before all that could be refused has been
/// looked at, and what they were given stands in the folder.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "experiments/files/text_digest.hpp"
#include "formulations/registry.hpp"
#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

/// The registries whose reference says that it needs more memory than any machine has.
Registries with_greedy_dense() {
  Registries registries = default_registries();
  for (FormulationEntry& entry : registries.formulations) {
    entry.memory.per_velocity_pair = entry.key == "dense" ? 1e15 : entry.memory.per_velocity_pair;
  }
  return registries;
}

class ClaimedFolderTest : public SimulateCommandTest {
 protected:
  [[nodiscard]] std::string folder() const { return (directory_ / "out").string(); }
  [[nodiscard]] nlohmann::json json(const char* name) const {
    return nlohmann::json::parse(content_of(directory_ / "out" / name), nullptr, false);
  }
};

TEST_F(ClaimedFolderTest, MatricesThatCannotFitAreRefusedBeforeTheyAreMade) {
  const CommandLineCall call = call_program(with_greedy_dense(), {"matrices", "-m", "pendulum:3", "-o", folder()});
  EXPECT_EQ(call.exit_code, 2) << call.output;
  EXPECT_TRUE(says(call, "mechanism 'pendulum:bodies=3' in formulation 'dense' needs about 9e+06 GB of memory") ||
              says(call, "'dense' needs about 9e+06 GB of memory"))
      << call.errors;
  EXPECT_FALSE(std::filesystem::exists(folder()));
}

TEST_F(ClaimedFolderTest, MatricesKeepToTheRuleOfFolders) {
  ASSERT_EQ(call_program({"verify", "-m", "pendulum:2", "-f", "aba", "--quiet", "-o", folder()}).exit_code, 0);
  const std::vector<std::string> matrices = {"matrices", "-m", "pendulum:3", "-o", folder()};
  const CommandLineCall refused = call_program(matrices);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(says(refused, "belongs to verify")) << refused.errors;
  EXPECT_FALSE(std::filesystem::exists(directory_ / "out" / "names.json"));
  std::vector<std::string> overwrite = matrices;
  overwrite.emplace_back("--overwrite");
  ASSERT_EQ(call_program(overwrite).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "out" / "records.csv"));
  EXPECT_EQ(json("provenance.json")["made_by"]["command"], "matrices");
  EXPECT_EQ(json("inputs.json")["mechanisms"][0]["mechanism"], "pendulum:bodies=3");
  EXPECT_TRUE(says(call_program(matrices), "holds results of matrices already"));
  EXPECT_TRUE(says(simulate_pendulum("out", {"--time", "0.1"}), "belongs to matrices"));
}

TEST_F(ClaimedFolderTest, MatricesThatCannotBeComputedLeaveNothing) {
  std::ofstream(directory_ / "until_one.toml") << R"toml(name = "until_one"
[[bodies]]
name = "arm"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[[joints]]
name = "j"
type = "revolute"
a = "ground"
b = "arm"
axis = [0.0, 0.0, 1.0]
[[joint_loads]]
name = "motor"
joint = "j"
law = "sqrt(1 - t)"
)toml";
  const std::vector<std::string> matrices = {"matrices", "-m",     (directory_ / "until_one.toml").string(),
                                             "-o",       folder(), "-t"};
  std::vector<std::string> late = matrices;
  late.emplace_back("2");
  const CommandLineCall not_finite = call_program(late);
  EXPECT_EQ(not_finite.exit_code, 2);
  EXPECT_TRUE(says(not_finite, "at t = 2 the forces are not finite")) << not_finite.errors;
  EXPECT_FALSE(std::filesystem::exists(folder()));
  std::vector<std::string> early = matrices;
  early.emplace_back("0.5");
  EXPECT_EQ(call_program(early).exit_code, 0);
}

TEST_F(ClaimedFolderTest, ASlipClaimsNoFolder) {
  const std::vector<std::vector<std::string>> slips = {
      {"verify", "-m", "pendulmu"},
      {"verify", "-m", "pendulum:2", "-f", "hdcaa"},
      {"bench", "-m", "pendulmu"},
      {"bench", "-m", "pendulum:2", "-f", "hdcaa"},
      {"matrices", "-m", "pendulmu"},
      {"matrices", "-m", "pendulum:2", "-t", "nan"},
      {"soak", "--metamorphic", "--comparisons", "1", "--class", "nmaes"},
      {"soak", "--metamorphic", "--comparisons", "1", "--formulation", "hdcaa"}};
  for (std::vector<std::string> slip : slips) {
    slip.insert(slip.end(), {"-o", folder()});
    const CommandLineCall call = call_program(slip);
    EXPECT_EQ(call.exit_code, 2) << slip[0] << ' ' << slip[2] << call.output;
    EXPECT_FALSE(std::filesystem::exists(folder())) << slip[0] << ' ' << slip[2];
  }
}

TEST_F(ClaimedFolderTest, OverwriteRemovesNothingForWhatIsRefused) {
  ASSERT_EQ(call_program({"verify", "-m", "pendulum:2", "-f", "aba", "--quiet", "-o", folder()}).exit_code, 0);
  for (const std::vector<std::string>& refused :
       {std::vector<std::string>{"verify", "-m", "pendulum:3", "-f", "aba", "--quiet", "--overwrite", "-o", folder()},
        {"verify", "-m", "pendulmu", "--quiet", "--overwrite", "-o", folder()}}) {
    EXPECT_EQ(call_program(with_greedy_dense(), refused).exit_code, 2);
    EXPECT_TRUE(std::filesystem::exists(directory_ / "out" / "records.csv")) << refused[2];
  }
}

TEST_F(ClaimedFolderTest, AStudyThatCannotFitClaimsAndRemovesNothing) {
  const std::filesystem::path file = directory_ / "study.toml";
  std::ofstream(file) << R"(name = "small"
mechanisms = ["pendulum:2"]
end = 0.1
integrators = ["ode45"]
tolerances = [1e-6]
observe = ["evaluations"]
[variants]
"dense" = "dense"
)";
  const std::vector<std::string> study = {"study", file.string(), "--no-report", "--quiet",
                                          "-o",    folder(),      "--overwrite"};
  EXPECT_EQ(call_program(with_greedy_dense(), study).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder()));
  ASSERT_EQ(call_program({"verify", "-m", "pendulum:2", "-f", "aba", "--quiet", "-o", folder()}).exit_code, 0);
  const CommandLineCall refused = call_program(with_greedy_dense(), study);
  EXPECT_EQ(refused.exit_code, 2) << refused.output;
  EXPECT_TRUE(says(refused, "'dense' needs about")) << refused.errors;
  EXPECT_TRUE(std::filesystem::exists(directory_ / "out" / "records.csv"));
  EXPECT_EQ(json("provenance.json")["made_by"]["command"], "verify");
}

TEST_F(ClaimedFolderTest, NotOneNumberIsAFailure) {
  const CommandLineCall bench = call_program({"bench", "-m", "four_bar", "-f", "aba", "--repetitions", "1"});
  EXPECT_EQ(bench.exit_code, 1) << bench.output;
  EXPECT_TRUE(says(bench, "not one time was measured")) << bench.errors;
  // No case of this class is for a formulation that knows open chains only.
  Registries registries = default_registries();
  for (FormulationEntry& entry : registries.formulations) {
    entry.refusal = [](const Mechanism& /*mechanism*/) { return std::string("it takes nothing"); };
  }
  const CommandLineCall soak = call_program(registries, {"soak", "--metamorphic", "--comparisons", "1", "--class",
                                                         "names", "--formulation", "aba", "--quiet", "-o", folder()});
  EXPECT_EQ(soak.exit_code, 1) << soak.output;
  EXPECT_TRUE(says(soak, "nothing was compared")) << soak.errors;
}

TEST_F(ClaimedFolderTest, SoakOfTellingsNeedsNoTemporaryFolderAndLeavesNone) {
  const char* const before = std::getenv("TMPDIR");
  const std::optional<std::string> kept = before == nullptr ? std::nullopt : std::optional<std::string>(before);
  setenv("TMPDIR", "/there/is/no/such/folder", 1);
  const CommandLineCall call = call_program({"soak", "--metamorphic", "--comparisons", "2", "--class", "names",
                                             "--formulation", "aba", "--quiet", "-o", folder()});
  kept ? setenv("TMPDIR", kept->c_str(), 1) : unsetenv("TMPDIR");
  EXPECT_EQ(call.exit_code, 0) << call.output << call.errors;
  EXPECT_FALSE(std::filesystem::exists(directory_ / "out" / ".working"));
  // What a soak that was killed has left goes with its other results.
  std::filesystem::create_directories(directory_ / "out" / ".working" / "123" / "run");
  std::ofstream(directory_ / "out" / ".working" / "123" / "run" / "trajectory.csv") << "t\n";
  EXPECT_EQ(simulate_pendulum("out", {"--time", "0.1", "--overwrite"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "out" / ".working"));
  EXPECT_FALSE(std::filesystem::exists(directory_ / "out" / "metamorphic.csv"));
}

TEST_F(ClaimedFolderTest, InputsAreKeptAsFilesThatGiveTheSameNumbersAgain) {
  const auto verify = [&](const std::string& mechanism, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"verify", "-m", mechanism, "-f", "aba", "--quiet", "-o", folder()};
    words.insert(words.end(), more.begin(), more.end());
    return call_program(words);
  };
  ASSERT_EQ(verify("random_tree:seed=3", {}).exit_code, 0);
  const nlohmann::json given = json("inputs.json")["mechanisms"][0];
  const std::string file = given.value("file", "");
  EXPECT_EQ(given["digest"], text_digest(content_of(directory_ / "out" / file))) << file;
  const std::filesystem::path kept = directory_ / "kept.toml";
  std::filesystem::copy_file(directory_ / "out" / file, kept);
  const std::string records = content_of(directory_ / "out" / "records.csv");
  ASSERT_EQ(verify(kept.string(), {"--overwrite"}).exit_code, 0);
  EXPECT_EQ(content_of(directory_ / "out" / "records.csv"), records) << "of the file as of the catalogue";
  ASSERT_EQ(simulate_pendulum("run", {"--time", "0.1"}).exit_code, 0);
  const std::string state = (directory_ / "run" / "state.json").string();
  ASSERT_EQ(call_program({"verify", "--state", state, "-f", "aba", "--quiet", "--overwrite", "-o", folder()}).exit_code,
            0);
  EXPECT_EQ(content_of(directory_ / "out" / "inputs" / "state.json"), content_of(state));
  EXPECT_EQ(json("inputs.json")["settings"], nlohmann::json({{"state", text_digest(content_of(state))}}));
  ASSERT_EQ(verify("pendulum:2", {"--overwrite"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "out" / "inputs" / "state.json")) << "goes with the other results";
  EXPECT_FALSE(std::filesystem::exists(directory_ / "out" / file));
  ASSERT_EQ(call_program({"bench", "-m", "pendulum:1001", "-m", "pendulum:2", "-f", "aba", "--repetitions", "1",
                          "--overwrite", "-o", folder()})
                .exit_code,
            0);
  EXPECT_EQ(json("inputs.json")["mechanisms"][0]["file"], "") << "too many bodies";
  EXPECT_TRUE(std::filesystem::exists(directory_ / "out" / json("inputs.json")["mechanisms"][1]["file"]));
}

TEST_F(ClaimedFolderTest, AnEngineIsNamedWithItsCommand) {
  const std::string engine = "false --its-option";
  const CommandLineCall call = call_program({"--engine", "textbook=" + engine, "verify", "-m", "pendulum:2", "-f",
                                             "textbook", "-f", "aba", "--quiet", "-o", folder()});
  EXPECT_EQ(call.exit_code, 1) << "it answers nothing" << call.errors;
  EXPECT_EQ(json("inputs.json")["settings"]["engine textbook"], engine);
  EXPECT_EQ(json("inputs.json")["settings"].size(), 3U) << "of our formulations nothing is started";
}

TEST_F(ClaimedFolderTest, CompareSaysFirstThatVerifyHadOtherInputs) {
  const auto verify = [&](const char* name, double stiffness, const std::string& seed) {
    std::ofstream(directory_ / "arm.toml") << R"(name = "arm"
[[bodies]]
name = "arm"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[[joints]]
name = "j"
type = "revolute"
a = "ground"
b = "arm"
axis = [0.0, 0.0, 1.0]
[[joint_springs]]
name = "s"
joint = "j"
stiffness = )" << stiffness << "\n";
    return call_program({"verify", "-m", (directory_ / "arm.toml").string(), "-m", "pendulum:2", "-f", "aba", "--quiet",
                         "--seed", seed, "-o", (directory_ / name).string()});
  };
  ASSERT_EQ(verify("a", 15.0, "1").exit_code, 0);
  ASSERT_EQ(verify("b", 16.0, "1").exit_code, 0);
  ASSERT_EQ(verify("c", 15.0, "2").exit_code, 0);
  ASSERT_EQ(verify("d", 15.0, "1").exit_code, 0);
  const auto compare = [&](const char* other) {
    return call_program({"compare", (directory_ / "a").string(), (directory_ / other).string()});
  };
  const CommandLineCall spring = compare("b");
  EXPECT_EQ(spring.exit_code, 2) << spring.output;
  EXPECT_EQ(
      spring.output.find("made from other inputs: 1\n  mechanism 'arm' is another one: line 21: stiffness = 15.0 -> "
                         "stiffness = 16.0\n"),
      0U)
      << spring.output;
  EXPECT_FALSE(says(spring, "pendulum:bodies=2 aba: the mechanism")) << spring.output;
  const CommandLineCall seed = compare("c");
  EXPECT_EQ(seed.exit_code, 2) << seed.output;
  EXPECT_TRUE(says(seed, "seed: \"1\" -> \"2\"")) << seed.output;
  const CommandLineCall same = compare("d");
  EXPECT_EQ(same.exit_code, 0) << same.output;
  EXPECT_FALSE(says(same, "no inputs are known")) << same.output;
  std::filesystem::remove(directory_ / "d" / "inputs.json");
  EXPECT_TRUE(
      says(compare("d"), "no inputs are known of " + (directory_ / "d").string() + ": compared by names alone"));
  std::ofstream(directory_ / "d" / "inputs.json") << "{\"command\": ";
  const CommandLineCall torn = compare("d");
  EXPECT_EQ(torn.exit_code, 2);
  EXPECT_TRUE(says(torn, "inputs.json: is no JSON object: the file was changed, cut off or damaged")) << torn.errors;
}

}  // namespace
}  // namespace mbdbench
