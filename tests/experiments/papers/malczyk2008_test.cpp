/// \file
/// The study of [Malczyk2008] as it is shipped: one process beside two.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/records/record.hpp"
#include "tests/experiments/claim_rows.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/on_processes.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

constexpr const char* kOneProcess = "bae-haug[alpha=10,beta=10,kernel=general]";
constexpr const char* kTwoProcesses = "bae-haug[alpha=10,beta=10,processes=2]";

const Record* find_record(const std::vector<Record>& records, const std::string& mechanism, const char* formulation,
                          const std::string& parameters, const std::string& quantity) {
  const auto found = std::find_if(records.begin(), records.end(), [&](const Record& record) {
    return record.mechanism == mechanism && record.formulation == formulation && record.parameters == parameters &&
           record.quantity == quantity;
  });
  return found == records.end() ? nullptr : &*found;
}

std::optional<double> value_of(const std::vector<Record>& records, const std::string& mechanism,
                               const char* formulation, const std::string& parameters, const std::string& quantity) {
  const Record* const record = find_record(records, mechanism, formulation, parameters, quantity);
  return record == nullptr ? std::nullopt : record->value;
}

TEST(Malczyk2008RunTest, OneProcessCountsAndSaysWhatTwoWouldNeed) {
  const TemporaryDirectory directory;
  const CommandLineCall call =
      call_program({"run", "malczyk2008", "--quick", "--quiet", "-o", directory.path().string()});
  ASSERT_EQ(call.exit_code, 0) << call.errors;
  const std::vector<Record> records = read_records(directory / "records.csv");
  for (const Record& record : records) {
    EXPECT_NE(record.verdict, Verdict::failed) << record.mechanism << " " << record.quantity << ": " << record.note;
  }
  // Limits are half a digit of what a compiler's contraction of products may change: the prototype has nine digits.
  const char* const tight = "tolerance=1e-12;end=1";
  for (const char* const formulation : {kOneProcess, kTwoProcesses}) {
    const Record* const angle = find_record(records, "slider_crank:torque=0", formulation, tight, "state_q.crank");
    ASSERT_NE(angle, nullptr);
    EXPECT_EQ(angle->verdict, Verdict::within_limit);
    EXPECT_NEAR(angle->value.value_or(0.0), 10.5742064, 2e-7);
  }
  // 551 of the method and one at each of 101 outputs; 960 and 1001.
  const char* const outputs = "tolerance=1e-06;end=1;output=0.01";
  const auto evaluations = value_of(records, "slider_crank", kOneProcess, outputs, "evaluations");
  const auto calls = value_of(records, "slider_crank", kOneProcess, outputs, "rhs_calls");
  ASSERT_TRUE(evaluations && calls);
  EXPECT_EQ(*calls, *evaluations + 101.0);
  // Rounding may move a step of backward differentiation, and the next ones with it.
  EXPECT_NEAR(*calls, 652.0, 10.0);
  EXPECT_NEAR(value_of(records, "loop:5", kOneProcess, "tolerance=1e-06;end=10;output=0.01", "rhs_calls").value_or(0.0),
              1961.0, 20.0);
  const auto restarted =
      value_of(records, "slider_crank", kOneProcess, "tolerance=1e-06;end=1;restart=0.01", "rhs_calls");
  EXPECT_GT(restarted.value_or(0.0), 4.0 * *calls) << "a hundred new starts";

  const std::vector<Record> timings = read_records(directory / "timings.csv");
  const Record* const alone = find_record(timings, "slider_crank", kTwoProcesses, outputs, "wall_time");
  ASSERT_NE(alone, nullptr);
  EXPECT_EQ(alone->verdict, Verdict::not_measured);
  EXPECT_EQ(alone->note, "start it with mpirun -n 2");
  EXPECT_FALSE(alone->value);
  const Record* const call_alone = find_record(timings, "loop:51", kTwoProcesses, "", "time_per_evaluation");
  ASSERT_NE(call_alone, nullptr);
  EXPECT_EQ(call_alone->note, "start it with mpirun -n 2");
}

class Malczyk2008OnProcessesTest : public OnProcessesTest {};

TEST_F(Malczyk2008OnProcessesTest, two_processes_are_timed_and_compute_the_bits_of_one) {
  ASSERT_EQ(shell(fmt::format("{} -n 2 {} run malczyk2008 --quick --quiet -o two", kMpirun, program())), 0) << said_;
  const std::vector<Record> timings = read_records(directory_.path() / "two/timings.csv");
  for (const auto& [mechanism, parameters] : {std::pair("slider_crank", "tolerance=1e-06;end=1;output=0.01"),
                                              {"loop:5", "tolerance=1e-06;end=10;output=0.01"},
                                              {"loop:15", "tolerance=1e-06;end=10;output=0.01"}}) {
    EXPECT_EQ(value_of(timings, mechanism, kTwoProcesses, parameters, "process_difference"), 0.0) << mechanism;
    // Whether it was disturbed is the machine's affair.
    EXPECT_GT(value_of(timings, mechanism, kTwoProcesses, parameters, "wall_time").value_or(0.0), 0.0);
  }
  // Judged of what was measured, or not at all where that was disturbed; a mechanism has controls of its own.
  const CsvTable claims = read_csv(directory_.path() / "two/timing_claims.csv");
  ASSERT_EQ(claims.rows.size(), 2U);
  EXPECT_EQ(claim_field(claims, "bits of one", "verdict"), "holds") << claim_field(claims, "bits of one", "measured");
  const std::string measured = claim_field(claims, "win at 15 joints", "measured");
  EXPECT_EQ(measured.find("left out"), std::string::npos) << measured;
  for (const char* const quantity : {"time_per_evaluation", "exchange_time_27", "exchange_time_500"}) {
    const double time = value_of(timings, "loop:51", kTwoProcesses, "", quantity).value_or(0.0);
    EXPECT_GT(time, 0.0) << quantity;
    EXPECT_LT(time, 1.0) << quantity;
  }
  // The same folder, one process: nothing of the two is told as its own.
  ASSERT_EQ(shell(fmt::format("{} run malczyk2008 --quick --quiet -o two", program())), 0) << said_;
  const std::vector<Record> alone = read_records(directory_.path() / "two/timings.csv");
  const Record* const call = find_record(alone, "loop:51", kTwoProcesses, "", "time_per_evaluation");
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->note, "start it with mpirun -n 2");
}

}  // namespace
}  // namespace mbdbench
