/// \file
/// A folder belongs to what made it: nothing is replaced without a word, whichever command comes second.
#include "experiments/files/result_folder.hpp"

#include <fstream>

#include "tests/experiments/simulate_call.hpp"

namespace mbdbench {
namespace {

constexpr const char* kStudy = R"(name = "NAME"
mechanisms = ["pendulum:2"]
end = 0.1
integrators = ["ode45"]
tolerances = [1e-4]
observe = ["evaluations"]
[variants]
"DCA" = "dca"
[quick]
end = 0.05
)";

class ResultFolderTest : public SimulateCommandTest {
 protected:
  /// Runs a study of this name in DIR/run.
  [[nodiscard]] CommandLineCall study(const std::string& name, const std::vector<std::string>& more = {}) const {
    std::string text = kStudy;
    text.replace(text.find("NAME"), 4, name);
    std::ofstream(directory_ / "study.toml") << text;
    std::vector<std::string> arguments = {"study", (directory_ / "study.toml").string(), "--no-report", "--quiet",
                                          "-o",    (directory_ / "run").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call_program(arguments);
  }

  [[nodiscard]] std::string content(const char* name) const { return content_of(directory_ / "run" / name); }

  static void expect_refused(const CommandLineCall& call, const std::string& owner) {
    EXPECT_EQ(call.exit_code, 2) << call.output;
    EXPECT_TRUE(says(call, owner)) << call.errors;
    EXPECT_TRUE(says(call, "--overwrite")) << call.errors;
  }
};

TEST_F(ResultFolderTest, NoCommandReplacesWhatAnotherOneMade) {
  ASSERT_EQ(study("first").exit_code, 0);
  const std::string records = content("records.csv");
  const std::string provenance = content("provenance.json");
  const std::string folder = (directory_ / "run").string();
  expect_refused(study("second"), "belongs to study 'first'");
  expect_refused(simulate_pendulum("run", {"--time", "0.1"}), "belongs to study 'first'");
  expect_refused(call_program({"bench", "-m", "pendulum:2", "-f", "aba", "--repetitions", "1", "-o", folder}),
                 "belongs to study 'first'");
  expect_refused(call_program({"verify", "-m", "pendulum:2", "-f", "aba", "--quiet", "-o", folder}),
                 "belongs to study 'first'");
  expect_refused(call_program({"soak", "--mechanisms", "1", "--quiet", "-o", folder}), "belongs to study 'first'");
  EXPECT_EQ(content("records.csv"), records);
  EXPECT_EQ(content("provenance.json"), provenance) << "of the study, not of what was refused";
  EXPECT_EQ(study("first").exit_code, 0) << "the same study goes on in its folder";
  EXPECT_EQ(study("second", {"--overwrite"}).exit_code, 0);
  EXPECT_TRUE(content("study.json").find("\"second\"") != std::string::npos);
}

TEST_F(ResultFolderTest, OneRunReplacesNoOther) {
  const std::string folder = (directory_ / "run").string();
  const std::vector<std::string> bench = {"bench", "-m", "pendulum:2", "-f", "aba", "--repetitions", "1", "-o", folder};
  ASSERT_EQ(call_program(bench).exit_code, 0);
  expect_refused(call_program(bench), "holds results of bench already");
  expect_refused(study("first"), "belongs to bench");
  EXPECT_EQ(study("first", {"--overwrite"}).exit_code, 0);
  EXPECT_EQ(content("timings.csv").find("bench,"), std::string::npos) << "nothing of the earlier owner is left";
}

TEST_F(ResultFolderTest, OverwriteLeavesTheUsersOwnFiles) {
  ASSERT_EQ(study("first").exit_code, 0);
  std::ofstream(directory_ / "run" / "notes.txt") << "mine";
  ASSERT_EQ(simulate_pendulum("run", {"--time", "0.1", "--overwrite"}).exit_code, 0);
  EXPECT_EQ(content("notes.txt"), "mine");
  EXPECT_FALSE(std::filesystem::exists(directory_ / "run" / "study.json"));
  EXPECT_FALSE(std::filesystem::exists(directory_ / "run" / "parts"));
}

TEST_F(ResultFolderTest, OverwriteLeavesTheUsersOwnFilesInFoldersOfResults) {
  ASSERT_EQ(study("first").exit_code, 0);
  const std::filesystem::path run = directory_ / "run";
  // What plots/make_all.py makes and lists; the list of a folder from somebody else may name anything.
  std::ofstream(directory_ / "outside.pdf") << "mine";
  for (const char* const name :
       {"figures/motion.pdf", "figures/motion.png", "tables/first_claims.tex", "figures/mine.pdf", "tables/mine.tex",
        "inputs/mine.txt", "parts/mine.json", "drawings/deep/mine.svg"}) {
    std::filesystem::create_directories((run / name).parent_path());
    std::ofstream(run / name) << "mine";
  }
  std::ofstream(run / "figures_and_tables.json")
      << R"(["figures/motion.pdf", "figures/motion.png", "tables/first_claims.tex", "figures/../../outside.pdf",
             "../outside.pdf", 1, {}])";
  const CommandLineCall call = simulate_pendulum("run", {"--time", "0.1", "--overwrite"});
  ASSERT_EQ(call.exit_code, 0) << call.errors;
  EXPECT_TRUE(says(call, "files in inputs, parts, drawings, figures, tables that are not known as results stay"))
      << call.errors;
  for (const char* const name : {"figures/mine.pdf", "tables/mine.tex", "inputs/mine.txt", "parts/mine.json",
                                 "drawings/deep/mine.svg", "../outside.pdf"}) {
    EXPECT_EQ(content(name), "mine") << name;
  }
  for (const char* const name : {"figures/motion.pdf", "figures/motion.png", "tables/first_claims.tex", "study.json",
                                 "inputs/declaration.toml", "parts/study.jsonl", "figures_and_tables.json"}) {
    EXPECT_FALSE(std::filesystem::exists(run / name)) << name;
  }
}

TEST_F(ResultFolderTest, AStudyThatGoesOnLeavesTheUsersOwnFilesToo) {
  ASSERT_EQ(study("first").exit_code, 0);
  std::ofstream(directory_ / "run" / "inputs" / "notes.txt") << "mine";
  ASSERT_EQ(study("first").exit_code, 0);
  EXPECT_EQ(content("inputs/notes.txt"), "mine");
}

TEST_F(ResultFolderTest, WhatNobodyMadeIsNotReplacedEither) {
  for (const char* const name : {"trajectory.csv", "claims.csv", "records.csv"}) {
    std::filesystem::create_directories(directory_ / "run");
    std::ofstream(directory_ / "run" / name) << "mine";
    expect_refused(simulate_pendulum("run", {"--time", "0.1"}), "nothing says who made it");
    expect_refused(study("first"), "nothing says who made it");
    EXPECT_EQ(content(name), "mine");
    std::filesystem::remove_all(directory_ / "run");
  }
}

TEST_F(ResultFolderTest, QuickSaysQuickAndDoesNotReplaceTheWhole) {
  const CommandLineCall quick = study("first", {"--quick"});
  ASSERT_EQ(quick.exit_code, 0) << quick.errors;
  EXPECT_TRUE(says(quick, "(quick: a smaller version of the study)")) << quick.output;
  EXPECT_EQ(nlohmann::json::parse(content("study.json"))["quick"], true);
  EXPECT_EQ(nlohmann::json::parse(content("provenance.json"))["made_by"]["quick"], true);
  const CommandLineCall whole = study("first");
  ASSERT_EQ(whole.exit_code, 0) << whole.errors;
  EXPECT_TRUE(says(whole, "takes the place of its quick version")) << whole.errors;
  EXPECT_EQ(nlohmann::json::parse(content("study.json"))["quick"], false);
  expect_refused(study("first", {"--quick"}), "holds the whole of study 'first'");
}

TEST_F(ResultFolderTest, FoldersOfOlderProgramsAreKnownByTheirFiles) {
  std::filesystem::create_directories(directory_ / "old");
  EXPECT_FALSE(folder_owner(directory_ / "old"));
  std::ofstream(directory_ / "old" / "study.json") << R"({"name": "arm"})";
  EXPECT_EQ(folder_owner(directory_ / "old")->text(), "study 'arm'");
  std::filesystem::create_directories(directory_ / "killed");
  std::ofstream(directory_ / "killed" / "checkpoint.json") << "{}";
  EXPECT_EQ(folder_owner(directory_ / "killed")->text(), "simulate");
}

}  // namespace
}  // namespace mbdbench
