// Campaigns: shares in any order, twice, torn, of several machines and programs, and what the merging command says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "experiments/files/result_folder.hpp"
#include "experiments/registries/registries.hpp"
#include "experiments/studies/declaration/readers/study_reader.hpp"
#include "experiments/studies/runner/cells/study_division.hpp"
#include "experiments/studies/runner/parts/part_origin.hpp"
#include "experiments/studies/runner/parts/result_journal.hpp"
#include "experiments/studies/runner/study_runner.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

constexpr const char* kSharedStudy = R"(
name = "small"
mechanisms = ["pendulum:3", "four_bar"]
end = 0.2
integrators = ["ode45", "gauss4"]
tolerances = [1e-4, 1e-6]
steps = [0.01]
observe = ["evaluations", "energy_error", "position_error"{}]
repetitions = 1
[variants]
"Dense" = "dense"
"DCA" = "dca"
[[claims]]
source = "none"
text = "Few evaluations suffice."
holds = "evaluations['DCA'] < 100000"
over = ["mechanism", "integrator", "tolerance", "step"]
)";

class StudyShares : public testing::Test {
 protected:
  void SetUp() override { declare(""); }
  void declare(const std::string& observers) {
    std::string text = kSharedStudy;
    text.replace(text.find("{}"), 2, observers);
    std::ofstream(file_) << text;
  }
  CommandLineCall study(const std::string& output, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"study",       file_.string(), "--quiet",
                                          "--no-report", "--output",     path(output).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call_program(arguments);
  }
  void compute(const std::string& output, const std::string& share) {
    const CommandLineCall call = study(output, {"--share", share});
    ASSERT_EQ(call.exit_code, 0) << call.errors;
  }
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return directory_ / name; }
  [[nodiscard]] std::string left(const std::string& output, const std::string& name) const {
    return content_of(path(output) / name);
  }
  [[nodiscard]] std::filesystem::path share_file(const std::string& output, const std::string& share) const {
    return path(output) / "parts" / fmt::format("share.{}.jsonl", share);
  }
  void expect_those_of_one_run(const std::string& output) {
    ASSERT_EQ(study("alone").exit_code, 0);
    const CommandLineCall merged = study(output);
    EXPECT_EQ(merged.exit_code, 0) << merged.output << merged.errors;
    for (const char* const name : {"records.csv", "claims.csv", "study.json"}) {
      EXPECT_FALSE(left("alone", name).empty());
      EXPECT_EQ(left(output, name), left("alone", name)) << name;
    }
  }
  /// Times as on a quiet machine: a disturbed one would be the first reason not to compare.
  static void calm(nlohmann::json& result) {
    if (result.is_object() && result.contains("wall")) {
      result["wall"] = result["processor"];
    }
    for (nlohmann::json& part : result) {
      if (part.is_structured()) {
        calm(part);
      }
    }
  }
  /// Writes the lines of a journal anew, as if another process had computed them on a quiet machine.
  void pretend(const std::filesystem::path& file, const studies::PartOrigin& origin) {
    std::vector<nlohmann::json> lines;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
      lines.push_back(nlohmann::json::parse(line));
      if (lines.back().contains("result")) {
        calm(lines.back()["result"]);
      }
    }
    std::filesystem::remove(file);
    studies::ResultJournal journal(file, origin);
    for (const nlohmann::json& line : lines) {
      if (line.contains("key")) {
        const bool same = origin.program == studies::own_origin(best_instruction_set()).program;
        journal.append(line["key"].get<std::string>() + (same ? "" : " of it"), line["part"], line["result"], 1.0);
      }
    }
  }

  Registries registries_ = default_registries();  // a study keeps references into them
  TemporaryDirectory directory_;
  std::filesystem::path file_ = directory_ / "small.toml";
};

TEST_F(StudyShares, MergedInAnyOrderAndTwiceTheyAreTheRecordsOfOneRun) {
  for (const char* const share : {"3/3", "1/3", "3/3", "2/3", "1/3"}) {
    compute("shares", share);
  }
  expect_those_of_one_run("shares");
  // Merged again, and computed once more: nothing is counted twice.
  compute("shares", "1/1");
  expect_those_of_one_run("shares");
  const auto provenance = nlohmann::json::parse(left("shares", "provenance.json"));
  ASSERT_EQ(provenance.at("shares").size(), 4U);
  std::size_t parts = 0;
  for (const auto& share : provenance.at("shares")) {
    parts += share.at("share") == "1/1" ? 0 : share.at("parts").get<std::size_t>();
    EXPECT_TRUE(share.at("parts") == 0 || share.at("machines").size() == 1) << share;
  }
  EXPECT_GE(parts, 12U) << "every run is in one of the three";
}

TEST_F(StudyShares, EveryRunIsInOneShareAndMoreSharesThanRunsDoNothing) {
  const studies::Study declared = studies::read_study(registries_, file_.string(), false);
  for (const int count : {1, 2, 5, 12, 40}) {
    const studies::StudyDivision division(declared, count);
    std::set<int> used;
    for (const studies::CellKey& cell : declared.cells()) {
      used.insert(division.share_of(cell));
    }
    EXPECT_EQ(used.size(), std::min<std::size_t>(static_cast<std::size_t>(count), declared.cells().size()));
    EXPECT_GE(*used.begin(), 1);
    EXPECT_LE(*used.rbegin(), count);
  }
  const CommandLineCall idle = study("many", {"--share", "40/40"});
  EXPECT_EQ(idle.exit_code, 0) << idle.errors;
  EXPECT_NE(idle.output.find("has nothing to do: the study has only 12 pieces"), std::string::npos) << idle.output;
}

TEST_F(StudyShares, WhatIsMissingIsSaidAndTheRestIsReported) {
  compute("shares", "2/3");
  const CommandLineCall merged = study("shares");
  EXPECT_EQ(merged.exit_code, 1);
  EXPECT_NE(merged.output.find("Incomplete: "), std::string::npos) << merged.output;
  EXPECT_NE(merged.output.find("1/3 (4 runs), 3/3 (4 runs)"), std::string::npos) << merged.output;
  EXPECT_NE(merged.output.find("--share 1/3"), std::string::npos) << merged.output;
  const std::string records = left("shares", "records.csv");
  EXPECT_NE(records.find("not measured"), std::string::npos);
  EXPECT_NE(records.find("no share has computed it yet"), std::string::npos);
  EXPECT_GT(nlohmann::json::parse(left("shares", "study.json")).at("missing_parts"), 0);
  compute("shares", "1/1");
  expect_those_of_one_run("shares");
}

TEST_F(StudyShares, ATornLineAndADamagedOneAreComputedAgain) {
  compute("shares", "1/2");
  compute("shares", "2/2");
  std::string torn = content_of(share_file("shares", "1_of_2"));
  torn.resize(torn.size() - 20);
  std::ofstream(share_file("shares", "1_of_2"), std::ios::binary) << torn;
  std::string damaged = content_of(share_file("shares", "2_of_2"));
  const std::size_t result = damaged.rfind("\"result\"");
  const std::size_t digit = damaged.find_first_of("123456789", result);
  damaged[digit] = damaged[digit] == '9' ? '8' : '9';
  std::ofstream(share_file("shares", "2_of_2"), std::ios::binary) << damaged;
  EXPECT_EQ(study("shares").exit_code, 1) << "two parts are missing";
  EXPECT_EQ(content_of(share_file("shares", "1_of_2")), torn) << "another process may be writing there";
  compute("shares", "1/2");
  compute("shares", "2/2");
  expect_those_of_one_run("shares");
}

TEST_F(StudyShares, PartsOfAnotherProgramOrStudyAreKeptAndNamed) {
  compute("shares", "1/2");
  compute("shares", "2/2");
  studies::PartOrigin other = studies::own_origin(best_instruction_set());
  other.program = "another";
  other.version = "0.2.0 (commit 0123456789ab)";
  pretend(share_file("shares", "2_of_2"), other);
  const std::string before = content_of(share_file("shares", "2_of_2"));
  CommandLineCall merged = study("shares");
  EXPECT_EQ(merged.exit_code, 1);
  EXPECT_NE(merged.output.find("were computed by another program, mbdbench 0.2.0 (commit 0123456789ab)"),
            std::string::npos)
      << merged.output;
  EXPECT_EQ(content_of(share_file("shares", "2_of_2")), before);
  compute("shares", "2/2");
  EXPECT_EQ(content_of(share_file("shares", "2_of_2")).find(before), 0U) << "what was there is still there";
  std::filesystem::remove(share_file("shares", "2_of_2"));
  std::string edited = content_of(file_);
  edited.replace(edited.find("end = 0.2"), 9, "end = 0.3");
  std::ofstream(file_) << edited;
  merged = study("shares");
  EXPECT_EQ(merged.exit_code, 1);
  EXPECT_NE(merged.output.find("belong to another version of the study"), std::string::npos) << merged.output;
}

TEST_F(StudyShares, OneInstructionSetIsMerged) {
  compute("shares", "1/2");
  compute("shares", "2/2");
  studies::PartOrigin other = studies::own_origin(best_instruction_set());
  other.instruction_set = "another";
  pretend(share_file("shares", "2_of_2"), other);
  CommandLineCall merged = study("shares");
  EXPECT_EQ(merged.exit_code, 1);
  EXPECT_NE(merged.output.find("with --simd"), std::string::npos) << merged.output;
  // All of one: whatever the set of the process that merges.
  pretend(share_file("shares", "1_of_2"), other);
  expect_those_of_one_run("shares");
}

TEST_F(StudyShares, TimesOfAMechanismStayOnOneMachine) {
  declare(R"(, "wall_time")");
  const studies::Study declared = studies::read_study(registries_, file_.string(), false);
  const studies::StudyDivision division(declared, 2);
  EXPECT_EQ(division.pieces(), 2U);
  for (const studies::CellKey& cell : declared.cells()) {
    EXPECT_EQ(division.share_of(cell), division.share_of({cell.mechanism, 0, 0, 0}));
  }
  std::string text = content_of(file_);
  text += R"(
[[claims]]
source = "none"
text = "One mechanism is quicker than the other."
holds = "wall_time['DCA', mechanism='pendulum:3'] < 1000 * wall_time['DCA', mechanism='four_bar']"
over = ["integrator", "tolerance"]
[[claims]]
source = "none"
text = "One variant is quicker than the other."
holds = "wall_time['DCA'] < 1000 * wall_time['Dense']"
over = ["mechanism", "integrator", "tolerance", "step"]
)";
  std::ofstream(file_) << text;
  compute("shares", "1/2");
  compute("shares", "2/2");
  studies::PartOrigin other = studies::own_origin(best_instruction_set());
  other.machine = "node7, a processor";
  pretend(share_file("shares", "1_of_2"), studies::own_origin(best_instruction_set()));
  pretend(share_file("shares", "2_of_2"), other);
  EXPECT_EQ(study("shares").exit_code, 0);
  const std::string claims = left("shares", "timing_claims.csv");
  EXPECT_NE(claims.find("times of several machines are not compared"), std::string::npos) << claims;
  const auto mechanisms = nlohmann::json::parse(left("shares", "study.json")).at("mechanisms");
  std::set<std::string> machines;
  for (const auto& mechanism : mechanisms) {
    machines.insert(mechanism.at("machine").get<std::string>());
  }
  EXPECT_EQ(machines, (std::set<std::string>{other.machine, studies::own_origin(best_instruction_set()).machine}));
  // A share that continues here measures its times here: no mechanism has times of two machines.
  std::filesystem::remove(path("shares") / "study.json");
  compute("shares", "2/2");
  EXPECT_EQ(study("shares").exit_code, 0);
  EXPECT_EQ(left("shares", "timing_claims.csv").find("times of several machines are not compared"), std::string::npos);
}

TEST_F(StudyShares, BadInputIsRefusedAndNothingIsLost) {
  for (const char* const share :
       {"0/4", "5/4", "x/y", "3", "1/", "/4", "-1/4", "1.5/4", "1/4x", "1/0", "1/99999999999"}) {
    const CommandLineCall call = study("refused", {"--share", share});
    EXPECT_EQ(call.exit_code, 2) << share;
    EXPECT_NE(call.errors.find("must be K/N, the K-th of N shares"), std::string::npos) << call.errors;
    EXPECT_FALSE(std::filesystem::exists(path("refused")));
  }
  compute("shares", "1/2");
  const std::string before = content_of(share_file("shares", "1_of_2"));
  const CommandLineCall overwrite = study("shares", {"--share", "2/2", "--overwrite"});
  EXPECT_EQ(overwrite.exit_code, 2);
  EXPECT_NE(overwrite.errors.find("would remove what other shares have finished"), std::string::npos);
  {
    const ShareFolder busy(path("shares"), {.command = "study", .name = "small", .continues = true});
    const CommandLineCall emptied = study("shares", {"--overwrite"});
    EXPECT_EQ(emptied.exit_code, 2);
    EXPECT_NE(emptied.errors.find("shares of a study are being computed there"), std::string::npos) << emptied.errors;
    EXPECT_EQ(study("shares").exit_code, 1) << "what there is can be looked at meanwhile";
  }
  {
    const studies::ResultJournal busy(share_file("shares", "1_of_2"), studies::own_origin(best_instruction_set()));
    const CommandLineCall second = study("shares", {"--share", "1/2"});
    EXPECT_EQ(second.exit_code, 2);
    EXPECT_NE(second.errors.find("another run is writing into this file"), std::string::npos) << second.errors;
  }
  EXPECT_EQ(content_of(share_file("shares", "1_of_2")), before);
  std::string renamed = content_of(file_);
  renamed.replace(renamed.find("\"small\""), 7, "\"other\"");
  std::ofstream(file_) << renamed;
  const CommandLineCall stranger = study("shares", {"--share", "2/2"});
  EXPECT_EQ(stranger.exit_code, 2);
  EXPECT_NE(stranger.errors.find("belongs to study 'small'"), std::string::npos) << stranger.errors;
}

TEST_F(StudyShares, TheArrayJobComputesAllShares) {
  const CommandLineCall slurm = study("it's here", {"--print-job", "slurm", "--shares", "5", "--jobs", "2"});
  EXPECT_EQ(slurm.exit_code, 0) << slurm.errors;
  EXPECT_NE(slurm.output.find("#SBATCH --array=1-5\n"), std::string::npos) << slurm.output;
  EXPECT_NE(slurm.output.find("#SBATCH --cpus-per-task=2\n"), std::string::npos);
  EXPECT_NE(slurm.output.find("--share \"${SLURM_ARRAY_TASK_ID}/5\""), std::string::npos);
  EXPECT_NE(slurm.output.find("it'\\''s here'"), std::string::npos) << "quoted for the shell";
  EXPECT_FALSE(std::filesystem::exists(path("it's here"))) << "nothing is run";
  const CommandLineCall queue = study("out", {"--print-job", "hyperqueue"});
  EXPECT_NE(queue.output.find("#HQ --array=1-12\n"), std::string::npos) << queue.output;
  EXPECT_NE(queue.output.find("--share \"${HQ_TASK_ID}/12\""), std::string::npos);
  EXPECT_EQ(study("out", {"--print-job", "pbs"}).exit_code, 2);
  EXPECT_EQ(study("out", {"--print-job", "slurm", "--share", "1/2"}).exit_code, 2);
  EXPECT_EQ(study("out", {"--print-job", "slurm", "--shares", "0"}).exit_code, 2);
}

}  // namespace
}  // namespace mbdbench
