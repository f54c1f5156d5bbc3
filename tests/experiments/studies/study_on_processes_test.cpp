// `mpirun -n R mbdbench study`: the records of one process, and nothing lost when a process is killed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "experiments/records/record.hpp"
#include "tests/experiments/on_processes.hpp"

namespace mbdbench {
namespace {

class StudyOnProcessesRunTest : public OnProcessesTest {
 protected:
  void SetUp() override {
    OnProcessesTest::SetUp();
    std::ofstream(directory_.path() / "small.toml") << R"(
name = "small"
mechanisms = ["pendulum:3", "four_bar", "star"]
end = 0.3
integrators = ["ode45", "ode113"]
tolerances = [1e-4, 1e-6, 1e-8]
observe = ["evaluations", "energy_error", "position_error", "wall_time"]
repetitions = 1
[variants]
"Dense" = "dense"
"DCA" = "dca"
"Articulated bodies" = "aba"
)";
  }
  int study(const std::string& before, const std::string& arguments) {
    return shell(fmt::format("{} {} study small.toml --quiet --no-report {}", before, program(), arguments));
  }
  [[nodiscard]] std::string records(const std::string& output) {
    return content_of(directory_.path() / output / "records.csv");
  }
  [[nodiscard]] std::size_t finished_parts(const std::string& output, const std::string& journal) {
    const std::string lines = content_of(directory_.path() / output / "parts" / journal);
    return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
  }
};

TEST_F(StudyOnProcessesRunTest, any_number_of_processes_makes_the_records_of_one) {
  ASSERT_EQ(study("", "-o alone"), 0) << said_;
  for (const int processes : {2, 3}) {
    const std::string output = fmt::format("processes{}", processes);
    ASSERT_EQ(study(fmt::format("{} -n {}", kMpirun, processes), "-o " + output), 0) << said_;
    EXPECT_FALSE(records(output).empty());
    EXPECT_EQ(records(output), records("alone"));
    EXPECT_EQ(finished_parts(output, "study.jsonl"), finished_parts("alone", "study.jsonl"));
    EXPECT_FALSE(std::filesystem::exists(directory_.path() / output / "parts" / "study.process1.jsonl"));
    EXPECT_NE(content_of(directory_.path() / output / "drawings/four_bar.svg").find("<svg"), std::string::npos);
    EXPECT_NE(content_of(directory_.path() / output / "drawings/four_bar.html").find("const frames"),
              std::string::npos);
    EXPECT_EQ(said_.find("Results: "), said_.rfind("Results: ")) << "once, by the first process: " << said_;
  }
}

TEST_F(StudyOnProcessesRunTest, what_killed_processes_had_finished_is_not_computed_again) {
  ASSERT_EQ(study("", "-o alone"), 0) << said_;
  // As a killed run leaves it: some parts in the file of each process, the last line of one torn.
  std::filesystem::create_directories(directory_.path() / "left/parts");
  std::ifstream whole(directory_.path() / "alone/parts/study.jsonl");
  std::ofstream first(directory_.path() / "left/parts/study.jsonl");
  std::ofstream second(directory_.path() / "left/parts/study.process1.jsonl");
  std::string line;
  for (int i = 0; std::getline(whole, line); ++i) {
    (i % 3 == 0 ? first : second) << (i % 3 == 2 ? "" : line + "\n");
  }
  second << line.substr(0, line.size() / 2);
  first.close();
  second.close();
  const std::size_t kept = finished_parts("left", "study.jsonl") + finished_parts("left", "study.process1.jsonl");
  ASSERT_EQ(study(fmt::format("{} -n 2", kMpirun), "-o left"), 0) << said_;
  EXPECT_EQ(records("left"), records("alone"));
  // One line a part: those that were kept have no second one.
  EXPECT_EQ(finished_parts("left", "study.jsonl"), finished_parts("alone", "study.jsonl"));
  EXPECT_LT(kept, finished_parts("left", "study.jsonl"));
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "left/parts/study.process1.jsonl"));
}

TEST_F(StudyOnProcessesRunTest, right_hand_sides_are_divided_among_the_processes_that_a_variant_has) {
  std::ofstream(directory_.path() / "small.toml") << R"(
name = "divided"
mechanisms = ["pendulum:256", "four_bar"]
observe = ["time_per_evaluation"]
[variants]
"one" = "hdca[leaf=subchain,threads=1]"
"two" = "hdca[leaf=subchain,threads=1]"
[processes]
"two" = 2
)";
  const auto timings = [&](const std::string& output) {
    return content_of(directory_.path() / output / "timings.csv");
  };
  ASSERT_EQ(study("", "-o alone"), 0) << said_;
  EXPECT_NE(timings("alone").find("start it with mpirun -n 2"), std::string::npos) << timings("alone");
  ASSERT_EQ(study(fmt::format("{} -n 2", kMpirun), "-o both"), 0) << said_;
  EXPECT_EQ(timings("both").find("start it with mpirun"), std::string::npos) << timings("both");
  EXPECT_NE(timings("both").find("hdca[leaf=subchain,threads=1,processes=2]"), std::string::npos) << timings("both");
  // What one block of lanes cannot share.
  EXPECT_NE(timings("both").find("on 2 processes: "), std::string::npos) << timings("both");
}

TEST_F(StudyOnProcessesRunTest, runs_with_an_integrator_of_the_whole_state_are_divided_and_compared_with_one_process) {
  std::ofstream(directory_.path() / "small.toml") << R"toml(
name = "runs"
mechanisms = ["pendulum:64", "pendulum:8"]
end = 0.02
integrators = ["cvode-bdf"]
jacobian = "differences"
tolerances = [1e-6]
observe = ["state(q.joint1)", "process_difference", "wall_time"]
repetitions = 1
[variants]
"two" = "hdca[leaf=subchain,subchains=16,threads=1]"
[processes]
"two" = 2
)toml";
  ASSERT_EQ(study(fmt::format("{} -n 2", kMpirun), "-o both"), 0) << said_;
  const std::vector<Record> timings = read_records(directory_.path() / "both" / "timings.csv");
  const auto difference = [&](const std::string& mechanism) {
    return *std::find_if(timings.begin(), timings.end(), [&](const Record& record) {
      return record.mechanism == mechanism && record.quantity == "process_difference";
    });
  };
  EXPECT_EQ(difference("pendulum:64").value, 0.0);
  EXPECT_NE(difference("pendulum:8").note.find("on 2 processes: "), std::string::npos) << difference("pendulum:8").note;
}

TEST_F(StudyOnProcessesRunTest, bad_input_and_other_runs_are_told_once) {
  EXPECT_EQ(shell(fmt::format("{} -n 2 {} study nothing.toml", kMpirun, program())), 2);
  EXPECT_EQ(said_.find("nothing.toml"), said_.rfind("nothing.toml")) << said_;
  const std::string small = program() + " study small.toml --quiet -o mixed";
  const std::string other = program() + " study other.toml -o mixed";
  EXPECT_EQ(shell(two_processes(small, other)), 2) << said_;
  EXPECT_TRUE(said("other.toml")) << said_;
  std::ofstream(directory_.path() / "other.toml")
      << content_of(directory_.path() / "small.toml").replace(1, 14, "name = \"other\"");
  EXPECT_EQ(shell(two_processes(small, other + " --no-report")), 2) << said_;
  EXPECT_TRUE(said("different commands")) << said_;
}

}  // namespace
}  // namespace mbdbench
