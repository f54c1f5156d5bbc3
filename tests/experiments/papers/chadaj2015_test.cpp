/// \file
/// The study of [Chadaj2015] as it is shipped: the published numbers, and what the comparison hides.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/records/record.hpp"
#include "tests/experiments/claim_rows.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {
namespace {

TEST(Chadaj2015RunTest, ThePublishedNumbersAreMetAndTheClaimsComeToTheKnownVerdicts) {
  const TemporaryDirectory directory;
  const CommandLineCall call =
      call_program({"run", "chadaj2015", "--quick", "--quiet", "-o", directory.path().string()});
  ASSERT_EQ(call.exit_code, 0) << call.errors;
  std::vector<Record> records = read_records(directory / "records.csv");
  const std::vector<Record> timings = read_records(directory / "timings.csv");
  records.insert(records.end(), timings.begin(), timings.end());
  const auto find = [&](const std::string& formulation, const char* quantity) {
    const auto found = std::find_if(records.begin(), records.end(), [&](const Record& record) {
      return record.formulation == formulation && record.integrator == "ode45" &&
             record.parameters == "tolerance=1e-06;end=10" && record.quantity == quantity;
    });
    EXPECT_NE(found, records.end()) << formulation << ' ' << quantity;
    return found == records.end() ? Record{} : *found;
  };

  // What the declaration expects is what the file of the printed numbers says.
  const CsvTable printed =
      read_csv(std::filesystem::path(MBDBENCH_SOURCE_DIR) / "results" / "published" / "chadaj2015_pendulum16.csv");
  ASSERT_EQ(printed.rows.size(), 2U);
  for (const auto& row : printed.rows) {
    const Record evaluations = find(row[0], "evaluations");
    EXPECT_EQ(evaluations.published_value, std::stod(row[3]));
    EXPECT_EQ(evaluations.value, std::stod(row[3]));
    EXPECT_EQ(evaluations.verdict, Verdict::exact);
    EXPECT_EQ(find(row[0], "wall_time").published_value, std::stod(row[4]));
  }
  // The oracles carry no number of the paper's: it did not run them.
  for (const char* const oracle : {"dense", "dense-momentum"}) {
    EXPECT_EQ(find(oracle, "evaluations").published_value, std::nullopt);
    EXPECT_EQ(find(oracle, "evaluations").verdict, Verdict::exact);
  }
  const auto exact = std::count_if(records.begin(), records.end(),
                                   [](const Record& record) { return record.verdict == Verdict::exact; });
  EXPECT_EQ(exact, 18) << "counts of four formulations, and of two with the angles alone under error control";

  const CsvTable claims = read_csv(directory / "claims.csv");
  const auto outcome = [&](const std::string& words) { return claim_outcome(claims, words); };
  EXPECT_EQ(outcome("energy remains constant"), "2 of 2, holds");
  EXPECT_EQ(outcome("consistent with DCA's"), "1 of 1, holds");
  EXPECT_EQ(outcome("Kinetic and potential energy agree"), "2 of 2, holds");
  // 6.7 times DCA's at the paper's tolerance, more at loose ones.
  EXPECT_EQ(outcome("as small as DCA's"), "1 of 14, mostly does not");
  EXPECT_EQ(outcome("Up to 8 s"), "3 of 3, holds");
  EXPECT_EQ(claim_field(claims, "motion of the tip", "parts"), "3");
  EXPECT_EQ(outcome("needs fewer evaluations"), "14 of 14, holds");
  EXPECT_EQ(outcome("as accurate as DCA"), "1 of 37, mostly does not");
  EXPECT_EQ(outcome("as they are printed"), "3 of 3, holds");
  EXPECT_EQ(outcome("MSC.Adams"), "0 of 0, not measured");
  EXPECT_EQ(outcome("O(log2 n)"), "2 of 2, by model");
  EXPECT_TRUE(std::filesystem::exists(directory / "trajectories/stand_in_dense_rkf45_1e_06.csv"));
}

}  // namespace
}  // namespace mbdbench
