#include "experiments/malczyk2008/malczyk2008.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "experiments/malczyk2008/closed_case.hpp"
#include "experiments/malczyk2008/crossover.hpp"
#include "experiments/malczyk2008/job.hpp"
#include "experiments/malczyk2008/message_claims.hpp"
#include "experiments/malczyk2008/message_model.hpp"
#include "experiments/malczyk2008/parts.hpp"
#include "experiments/malczyk2008/published.hpp"
#include "experiments/malczyk2008/timing_claims.hpp"
#include "experiments/malczyk2008/two_ranks.hpp"
#include "experiments/registries/registries.hpp"
#include "tests/experiments/temporary_directory.hpp"
#include "tests/experiments/whole_experiment.hpp"
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
  const std::vector<LoopValue> speedups = loop_values(timings, kTwoRanks, "time_per_evaluation_speedup");
  ASSERT_EQ(speedups.size(), 4U);
  EXPECT_EQ(speedups.front().joints, 4);
  EXPECT_NEAR(crossover(speedups).value_or(0.0), 16.0, 1e-9);
  const std::vector<Record> records = crossover_records(timings);
  ASSERT_FALSE(records.empty());
  EXPECT_EQ(records.front().quantity, "time_per_evaluation_crossover");
  EXPECT_EQ(records.front().published_value, 15.0);
  EXPECT_TRUE(loop_values(timings, kTwoRanksTcp, "time_per_evaluation_speedup").empty());
  EXPECT_FALSE(crossover({{5, 1.2}, {9, 1.5}}).has_value());
  EXPECT_FALSE(crossover({{5, 0.8}, {9, 1.5}, {15, 0.9}}).has_value());
}

/// Times of a machine that obeys the model: 1 us a body, this exchange time.
std::vector<Record> model_timings(double memory, double tcp) {
  std::vector<Record> timings;
  for (const auto& [transport, formulation, time] :
       {std::tuple(Transport::shared_memory, kTwoRanks, memory), std::tuple(Transport::tcp, kTwoRanksTcp, tcp)}) {
    timings.push_back(
        records_of("", "", exchange_parameters(kShortMessage, transport)).measured("exchange_time", "s", time));
    for (const int joints : timed_loops(false)) {
      const double serial = 1e-6 * (joints - 1);
      timings.push_back(records_of(loop_name(joints), formulation, "")
                            .measured("time_per_evaluation_speedup", "1", serial / (serial / 2.0 + 3.0 * time)));
    }
  }
  for (const int joints : timed_loops(false)) {
    timings.push_back(
        records_of(loop_name(joints), kSerial, "").measured("time_per_evaluation", "s", 1e-6 * (joints - 1)));
  }
  return timings;
}

const Record& the_record(const std::vector<Record>& records, const std::string& mechanism, const char* formulation,
                         const char* quantity, const char* parameters = "") {
  const auto found = std::find_if(records.begin(), records.end(), [&](const Record& record) {
    return record.mechanism == mechanism && record.formulation == formulation && record.quantity == quantity &&
           record.parameters == parameters;
  });
  EXPECT_NE(found, records.end()) << mechanism << ' ' << quantity;
  return *found;
}

TEST(Malczyk2008Model, PredictsItsOwnCrossovers) {
  // 6 t_exchange = t1: 1.5 us balance 10 joints, 20 us balance 121.
  const std::vector<Record> timings = model_timings(1.5e-6, 20e-6);
  const std::vector<Record> records = crossover_records(timings);
  EXPECT_NEAR(*the_record(records, "loop", kTwoRanks, "predicted_crossover").value, 10.0, 1e-9);
  EXPECT_NEAR(*the_record(records, "loop", kTwoRanksTcp, "predicted_crossover").value, 121.0, 1e-9);
  // Measured ones are interpolated between the loops: 9 and 11, 101 and 151.
  EXPECT_NEAR(*the_record(records, "loop", kTwoRanks, "time_per_evaluation_crossover").value, 10.0, 0.1);
  EXPECT_NEAR(*the_record(records, "loop", kTwoRanksTcp, "time_per_evaluation_crossover").value, 121.0, 3.0);
  EXPECT_NEAR(*the_record(records, "loop:15", kTwoRanks, "balanced_exchange_time").value, 14e-6 / 6.0, 1e-15);
  EXPECT_NEAR(*the_record(records, "loop:251", kTwoRanks, "balanced_exchange_time").value, 250e-6 / 6.0, 1e-15);
  EXPECT_EQ(constant_overhead_claim(timings).verdict, ClaimVerdict::holds);
  EXPECT_EQ(two_nodes_claim(timings).verdict, ClaimVerdict::not_measured);
}

TEST(Malczyk2008Model, EndsAtTheSmallestAndAtTheLargestLoop) {
  const std::vector<LoopValue> times = {{4, 3e-6}, {5, 4e-6}, {9, 8e-6}};
  // Three joints make a rigid triangle: there is no such loop.
  EXPECT_FALSE(predicted_crossover(times, 0.4e-6).has_value());
  EXPECT_NEAR(predicted_crossover(times, 0.5e-6).value_or(0.0), 4.0, 1e-12);
  EXPECT_NEAR(predicted_crossover(times, 1.0e-6).value_or(0.0), 7.0, 1e-12);
  EXPECT_FALSE(predicted_crossover(times, 2e-6).has_value());
  EXPECT_FALSE(predicted_crossover({}, 2e-6).has_value());
}

TEST(Malczyk2008Model, IsFoundWrongWhereTheExchangeIsNotTheReason) {
  std::vector<Record> timings = model_timings(1.5e-6, 20e-6);
  for (Record& record : timings) {
    if (record.quantity == "exchange_time") {
      *record.value *= 1.7;
    }
  }
  EXPECT_EQ(constant_overhead_claim(timings).verdict, ClaimVerdict::does_not_hold);
}

TEST(Malczyk2008Model, IsNotJudgedBelowTheSmallestLoop) {
  // 0.4 us balance 3.4 joints; speedups as with 1.5 us, which pass 1 at 10.
  std::vector<Record> timings = model_timings(1.5e-6, 20e-6);
  const auto set_exchange = [&](Transport transport, double time) {
    for (Record& record : timings) {
      if (record.quantity == "exchange_time" && record.parameters == exchange_parameters(kShortMessage, transport)) {
        record.value = time;
      }
    }
  };
  set_exchange(Transport::shared_memory, 0.4e-6);
  const Claim tcp_alone = constant_overhead_claim(timings);
  EXPECT_EQ(tcp_alone.verdict, ClaimVerdict::holds);
  EXPECT_NE(tcp_alone.measured.find("shared memory: not judged"), std::string::npos) << tcp_alone.measured;
  set_exchange(Transport::tcp, 0.4e-6);
  EXPECT_EQ(constant_overhead_claim(timings).verdict, ClaimVerdict::not_measured);
}

TEST(Malczyk2008Model, PublishedTimesByHand) {
  // Table 1, 60 s: an output costs (11.18 - 4.768) / 54000 = 118.74 us and (16.336 - 6.951) / 54000 = 173.80 us.
  EXPECT_NEAR(published_exchange_time().lower, 18.35e-6, 0.01e-6);
  EXPECT_NEAR(published_exchange_time().upper, 38.14e-6, 0.01e-6);
  EXPECT_NEAR(published_body_time().lower, 7.86e-6, 0.01e-6);
  EXPECT_NEAR(published_body_time().upper, 16.35e-6, 0.01e-6);
}

TEST(Malczyk2008Model, ARightHandSideMakesItsExchanges) {
  class CountingExchange final : public Exchange {
   public:
    explicit CountingExchange(Exchange& inner) : inner_(&inner) {}
    [[nodiscard]] int rank() const override { return inner_->rank(); }
    void swap(std::span<const double> own, std::span<double> other) override {
      ++count;
      inner_->swap(own, other);
    }
    int count = 0;

   private:
    Exchange* inner_;
  };
  const Registries registries = default_registries();
  std::array<int, 2> counts{};
  test::on_two_ranks([&](Exchange& exchange) {
    CountingExchange counting(exchange);
    ClosedCase loop(registries, "loop:15", Program::split, &counting);
    std::vector<double> xdot(loop.x0().size());
    counting.count = 0;
    EXPECT_TRUE(loop.formulation().rhs(0.0, loop.x0(), xdot).ok);
    counts[static_cast<std::size_t>(exchange.rank())] = counting.count;
  });
  EXPECT_EQ(counts, (std::array<int, 2>{kExchanges, kExchanges}));
}

/// \returns the bytes that the loopback interface received since the machine started; nothing where nobody tells.
std::optional<double> loopback_bytes() {
  std::ifstream stream("/proc/net/dev");
  for (std::string word; stream >> word;) {
    if (double bytes = 0.0; word == "lo:" && stream >> bytes) {
      return bytes;
    }
  }
  return std::nullopt;
}

TEST(Malczyk2008Transport, TcpMessagesPassTheLoopbackInterface) {
  if (!why_no_two_ranks().empty()) {
    GTEST_SKIP() << why_no_two_ranks();
  }
  const TemporaryDirectory directory;
  const Registries registries = default_registries();
  Job job;
  job.message_sizes = {kLongMessage};
  const JobResult memory = run_job(registries, job, directory.path());
  ASSERT_EQ(memory.failure, "");
  EXPECT_EQ(memory.transport.find("tcp"), std::string::npos) << memory.transport;
  const std::optional<double> before = loopback_bytes();
  const JobResult tcp = run_job(registries, job, directory.path(), Transport::tcp);
  if (!memory.library.starts_with("Open MPI")) {
    EXPECT_NE(tcp.failure, "");
    return;
  }
  ASSERT_EQ(tcp.failure, "");
  EXPECT_EQ(tcp.transport, "self,tcp");
  ASSERT_TRUE(before.has_value());
  // 1000 batches of 100 messages from either side, each of 500 doubles.
  EXPECT_GE(*loopback_bytes() - *before, 2.0 * 1000 * 100 * kLongMessage * sizeof(double));
  EXPECT_GT(tcp.messages.front().timing.seconds, memory.messages.front().timing.seconds);
}

TEST(Malczyk2008Claims, WithoutTimesNothingIsMeasured) {
  for (const Claim& claim : claims_of_timings({}, {})) {
    EXPECT_EQ(claim.verdict, ClaimVerdict::not_measured) << claim.statement;
    EXPECT_FALSE(claim.measured.empty()) << claim.statement;
  }
}

TEST(Malczyk2008Speedup, IsRefusedWhenARankHadToShareItsProcessor) {
  TaskTimes times;
  times.serial = Timing{2.0, 1.0};
  times.two_ranks = Timing{1.0, 0.5};
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
    EXPECT_GT(entry.serial->seconds, 0.0);
    EXPECT_GT(entry.two_ranks->seconds, 0.0);
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
  EXPECT_EQ(read.tasks[1].serial->seconds, result.tasks[1].serial->seconds);
  EXPECT_FALSE(read.tasks[0].sub_chains.has_value());
  EXPECT_EQ(read.messages.front().timing.seconds, 1.25e-6);
}

TEST(Malczyk2008RunTest, ComesToTheKnownNumbers) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(run_experiment(run_malczyk2008, directory));
  const std::vector<Record> records = read_records(directory / "records.csv");
  const auto count = [&](const char* quantity, Verdict verdict) {
    return std::count_if(records.begin(), records.end(), [&](const Record& record) {
      return record.quantity == quantity && record.verdict == verdict;
    });
  };
  EXPECT_EQ(count("crank_angle", Verdict::within_limit), 2);
  EXPECT_EQ(count("end_state_difference", Verdict::within_limit), 1);
  EXPECT_EQ(count("end_state_difference", Verdict::exact), why_no_two_ranks().empty() ? 2 : 0) << why_no_two_ranks();
  // Both readings of the paper's step come near its ratios, restarts do not.
  const auto misfit = [&](const std::string& reading) {
    const auto found = std::find_if(records.begin(), records.end(), [&](const Record& record) {
      return record.quantity == "misfit_of_step_ratio" && record.parameters == reading;
    });
    return found == records.end() ? -1.0 : found->value.value_or(-1.0);
  };
  EXPECT_NEAR(misfit("reading=output;tolerance=1e-06"), 0.15, 0.03);
  EXPECT_NEAR(misfit("reading=largest_step;tolerance=5e-06"), 0.04, 0.03);
  EXPECT_GT(misfit("reading=restart;tolerance=5e-06"), 1.0);
  const std::vector<Record> timings = read_records(directory / "timings.csv");
  EXPECT_TRUE(std::any_of(timings.begin(), timings.end(), [](const Record& record) {
    return record.quantity == "wall_time" && record.formulation == kSerial && record.published_value == 0.058;
  }));
  EXPECT_FALSE(std::filesystem::exists(directory / "job.json"));
  if (why_no_two_ranks().empty()) {
    const auto provenance = nlohmann::json::parse(std::ifstream(directory / "provenance.json"));
    EXPECT_EQ(provenance.at("ranks"), 2);
    EXPECT_NE(provenance.at("messages").get<std::string>().find("shared memory"), std::string::npos);
  } else {
    EXPECT_FALSE(std::filesystem::exists(directory / "provenance.json"));
  }
}

}  // namespace
}  // namespace mbdbench::malczyk2008
