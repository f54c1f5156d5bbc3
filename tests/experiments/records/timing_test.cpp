/// \file
/// Times carry how they were measured, and what was disturbed counts nowhere.
#include "experiments/records/timing/timing.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "experiments/records/record_maker.hpp"
#include "experiments/records/timing/timed_turns.hpp"
#include "experiments/records/trend.hpp"
#include "experiments/terminal/interruption.hpp"
#include "formulations/execution/thread_team.hpp"

namespace mbdbench {
namespace {

RecordMaker maker() {
  return RecordMaker({.experiment = "e", .mechanism = "m", .formulation = "f", .integrator = {}, .parameters = {}});
}

TEST(RepeatedTimes, FastestAndMedianCarryShareSpreadAndCount) {
  RepeatedTimes times;
  for (const double wall : {5.0, 1.0, 3.0, 2.0, 4.0}) {
    times.add({wall, wall == 1.0 ? 0.5 : 0.95 * wall});
  }
  const Timing median = times.median();
  EXPECT_EQ(median.seconds, 3.0);
  EXPECT_DOUBLE_EQ(median.processor_share, 0.95);
  EXPECT_DOUBLE_EQ(median.spread, 2.0 / 3.0);
  EXPECT_EQ(median.repetitions, 5U);
  EXPECT_FALSE(median.disturbed());
  const Timing fastest = times.fastest();
  EXPECT_EQ(fastest.seconds, 1.0);
  EXPECT_EQ(fastest.processor_share, 0.5) << "its own, not the median's";
  EXPECT_TRUE(fastest.disturbed());
  EXPECT_EQ(fastest.per(4.0).seconds, 0.25);
  EXPECT_TRUE(fastest.per(4.0).disturbed());
}

/// Threads of OpenMP that tests before this one in its process have left spin on for a while (a fifth of a second with
/// Clang's library): to a process's clock they work.
void wait_until_no_thread_works() {
  const timespec pause{0, 20'000'000};
  for (int turn = 0; turn < 100; ++turn) {
    const Stopwatch stopwatch;
    nanosleep(&pause, nullptr);
    if (stopwatch.elapsed().processor < 0.002) {
      return;
    }
  }
}

TEST(Stopwatch, TellsWorkFromWaiting) {
  wait_until_no_thread_works();
  const Stopwatch stopwatch;
  volatile double sum = 0.0;
  while (stopwatch.elapsed().processor < 0.01) {
    sum = sum + 1.0;
  }
  const TimedRepetition worked = stopwatch.elapsed();
  EXPECT_GE(worked.processor, 0.01);
  // The two clocks are read one after the other.
  EXPECT_LE(worked.processor, worked.wall + 1e-3);
  const timespec pause{0, 50'000'000};
  nanosleep(&pause, nullptr);
  EXPECT_TRUE((TimedRepetition{0.05, stopwatch.elapsed().processor - worked.processor}).disturbed());
}

#if !defined(__clang__)  // whose library lets them spin on (ThreadTeam::rest)
// OpenMP's threads spin some milliseconds after a region: as processor time of the next call they would hide that it
// had no processor.
TEST(TimedTurns, WaitingThreadsOfOneCallAreNoProcessorTimeOfTheNext) {
  const ThreadTeam team(2);
  const std::vector<RepeatedTimes> times =
      time_in_turns({[&team] {
                       team.run([](const TeamMember& member) { member.barrier(); });
                       return true;
                     },
                     [] {
                       std::this_thread::sleep_for(std::chrono::milliseconds(1));
                       return true;
                     }},
                    3, 1e-4);
  for (const TimedRepetition& repetition : times[1].repetitions()) {
    EXPECT_LT(repetition.share(), 0.5);
  }
}
#endif

TEST(TimedTurns, ACallThatFailsHasNoTimesAndTheOthersHaveAll) {
  const InterruptionGuard guard;  // forgets what another test has asked for
  int calls = 0;
  const std::vector<RepeatedTimes> times = time_in_turns({[&] { return ++calls < 3; }, [] { return true; }}, 4, 1e-5);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0].count(), 0U);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(times[1].count(), 4U);
}

TEST(TimedRecord, IsNotMeasuredWhereItWasDisturbedAndATrendLeavesItSo) {
  const Timing quiet = {.seconds = 2.0, .processor_share = 0.95, .spread = 0.1, .repetitions = 7};
  const Record good = maker().timed("wall_time", quiet, "where");
  EXPECT_EQ(good.verdict, Verdict::no_published_value);
  EXPECT_EQ(good.note, "7 repetitions, spread 0.1, processor share 0.95; where");
  EXPECT_EQ(good.value, 2.0);
  Timing busy = quiet;
  busy.processor_share = 0.6;
  std::vector<Record> records = {maker().timed("wall_time", busy)};
  EXPECT_TRUE(records[0].note.starts_with("disturbed: ")) << records[0].note;
  EXPECT_EQ(records[0].value, 2.0) << "the number stands there";
  EXPECT_EQ(records[0].verdict, Verdict::not_measured);
  set_comparison(records[0], 2.1, {"paper", true}, {LimitKind::trend, 0.0});
  judge_trends(records);
  EXPECT_EQ(records[0].verdict, Verdict::not_measured);
}

}  // namespace
}  // namespace mbdbench
