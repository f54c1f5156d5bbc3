#include "experiments/malczyk2008/malczyk2008.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "experiments/command_line.hpp"
#include "experiments/malczyk2008/closed_case.hpp"
#include "experiments/malczyk2008/job.hpp"
#include "experiments/malczyk2008/parts.hpp"
#include "experiments/malczyk2008/published.hpp"
#include "experiments/malczyk2008/timing_claims.hpp"
#include "experiments/malczyk2008/two_ranks.hpp"
#include "tests/experiments/temporary_directory.hpp"
#include "tests/support/thread_exchange.hpp"

namespace mbdbench::malczyk2008 {
namespace {

Record speedup_of(int joints, double value) {
  return records_of(loop_name(joints), kTwoRanks, "").measured("time_per_evaluation_speedup", "1", value);
}

TEST(Malczyk2008Crossover, IsInterpolatedWhereTheSpeedupPassesOneForGood) {
  // 0.5 + 0.25 log2(n / 4) is 1 at n = 16.
  std::vector<Record> timings;
  for (const int joints : {64, 4, 8, 32}) {
    timings.push_back(speedup_of(joints, 0.5 + 0.25 * std::log2(joints / 4.0)));
  }
  const std::vector<LoopSpeedup> speedups = loop_speedups(timings, "time_per_evaluation_speedup");
  ASSERT_EQ(speedups.size(), 4U);
  EXPECT_EQ(speedups.front().joints, 4);
  EXPECT_NEAR(crossover(speedups).value_or(0.0), 16.0, 1e-9);
  const std::vector<Record> records = crossover_records(timings);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records.front().published_value, 15.0);
  EXPECT_FALSE(crossover({{5, 1.2}, {9, 1.5}}).has_value());
  EXPECT_FALSE(crossover({{5, 0.8}, {9, 1.5}, {15, 0.9}}).has_value());
}

TEST(Malczyk2008Claims, WithoutTimesNothingIsMeasured) {
  for (const Claim& claim : claims_of_timings({})) {
    EXPECT_EQ(claim.verdict, ClaimVerdict::not_measured) << claim.statement;
    EXPECT_FALSE(claim.measured.empty()) << claim.statement;
  }
}

TEST(Malczyk2008Speedup, IsRefusedWhenARankHadToShareItsProcessor) {
  TaskTimes times;
  times.serial = TimedWork{2.0, 1.0};
  times.two_ranks = TimedWork{1.0, 0.5};
  PartResult part;
  add_times(part, "loop:9", "", "time_per_evaluation", times);
  ASSERT_EQ(part.timings.size(), 2U);
  EXPECT_NE(part.timings[1].note.find("no speedup"), std::string::npos) << part.timings[1].note;
  times.two_ranks->processor_share = 1.0;
  add_times(part, "loop:9", "", "time_per_evaluation", times);
  if (usable_processors() >= 2) {
    ASSERT_EQ(part.timings.size(), 5U);
    EXPECT_EQ(part.timings.back().value, 2.0);
  } else {
    EXPECT_EQ(part.timings.size(), 4U);
  }
}

TEST(Malczyk2008Measurement, TwoRanksDoTheSameTasksAndTheAnswerSurvivesItsFile) {
  const Registries registries = default_registries();
  const std::vector<Task> tasks = {{"slider_crank", 0.1, 0.01, 2, 1.0}, {"loop:9", 0.0, 0.0, 2, 1.0}};
  std::array<std::vector<TaskTimes>, 2> times;
  test::on_two_ranks([&](Exchange& exchange) {
    times[static_cast<std::size_t>(exchange.rank())] = measure(registries, tasks, &exchange);
  });
  for (const TaskTimes& entry : times[0]) {
    EXPECT_EQ(entry.failure, "");
    ASSERT_TRUE(entry.serial && entry.two_ranks);
    EXPECT_GT(entry.serial->wall_time, 0.0);
    EXPECT_GT(entry.two_ranks->wall_time, 0.0);
  }
  // Both ranks integrate the same numbers; the sequential program sums in another order.
  EXPECT_EQ(times[0][0].two_rank_state, times[1][0].two_rank_state);
  ASSERT_EQ(times[0][0].serial_state.size(), times[0][0].two_rank_state.size());
  for (std::size_t i = 0; i < times[0][0].serial_state.size(); ++i) {
    EXPECT_NEAR(times[0][0].serial_state[i], times[0][0].two_rank_state[i], 1e-6);
  }
  const TemporaryDirectory directory;
  JobResult result;
  result.tasks = times[0];
  result.messages = {{27, {1.25e-6, 0.5}}};
  result.library = "none";
  write_result(directory / "result.json", result);
  const JobResult read = read_result(directory / "result.json");
  ASSERT_EQ(read.tasks.size(), 2U);
  EXPECT_EQ(read.tasks[0].two_rank_state, result.tasks[0].two_rank_state);
  EXPECT_EQ(read.tasks[1].serial->wall_time, result.tasks[1].serial->wall_time);
  EXPECT_FALSE(read.tasks[0].sub_chains.has_value());
  EXPECT_EQ(read.messages.front().work.wall_time, 1.25e-6);
}

TEST(Malczyk2008RunTest, ComesToTheKnownNumbers) {
  const TemporaryDirectory directory;
  const Registries registries = default_registries();
  ExperimentContext context{.registries = registries,
                            .output = directory.path(),
                            .quick = true,
                            .stop_requested = [] { return false; },
                            .quiet = true};
  EXPECT_TRUE(run_malczyk2008(context));
  const std::vector<Record> records = read_records(directory / "records.csv");
  const auto count = [&](const char* quantity, Verdict verdict) {
    return std::count_if(records.begin(), records.end(), [&](const Record& record) {
      return record.quantity == quantity && record.verdict == verdict;
    });
  };
  EXPECT_EQ(count("crank_angle", Verdict::within_limit), 2);
  EXPECT_EQ(count("end_state_difference", Verdict::within_limit), 1);
  EXPECT_EQ(count("end_state_difference", Verdict::exact), why_no_two_ranks().empty() ? 2 : 0) << why_no_two_ranks();
  const std::vector<Record> timings = read_records(directory / "timings.csv");
  EXPECT_TRUE(std::any_of(timings.begin(), timings.end(), [](const Record& record) {
    return record.quantity == "wall_time" && record.formulation == kSerial && record.published_value == 0.058;
  }));
  EXPECT_FALSE(std::filesystem::exists(directory / "job.json"));
}

}  // namespace
}  // namespace mbdbench::malczyk2008
